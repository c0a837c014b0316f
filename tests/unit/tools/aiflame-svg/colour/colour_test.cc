// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/colour.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace aiflame::svg {
namespace {

// sRGB's curve, as WCAG 2 has it.
double linear(int channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

// The least contrast of a text that is white on what is_dark() says, else black, on any colour.
TEST(Colour, AnyHasTextOfEnoughContrast) {
  std::array<double, 256> curve{};
  for (int i = 0; i < 256; ++i) curve[static_cast<size_t>(i)] = linear(i);
  double least = 21;
  for (size_t red = 0; red < 256; ++red)
    for (size_t green = 0; green < 256; ++green)
      for (size_t blue = 0; blue < 256; blue += 5) {  // which counts least
        const double luminance =
            0.2126 * curve[red] + 0.7152 * curve[green] + 0.0722 * curve[blue] + 0.05;
        const bool dark = is_dark(
            {static_cast<uint8_t>(red), static_cast<uint8_t>(green), static_cast<uint8_t>(blue)});
        least = std::min(least, dark ? 1.05 / luminance : luminance / 0.05);
      }
  EXPECT_GE(least, 4.5);
}

// The two of flamegraph.pl's colours that were the least legible.
TEST(Colour, TextOfRedsIsTheMoreLegible) {
  EXPECT_FALSE(is_dark({255, 0, 0}));
  EXPECT_TRUE(is_dark({212, 36, 8}));
}

}  // namespace
}  // namespace aiflame::svg
