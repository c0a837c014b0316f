// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/change_bin.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aiflame::svg {
namespace {

// WCAG's contrast of black or white text, whichever is_dark() chooses.
double contrast(Colour colour) {
  const auto linear = [](uint8_t part) {
    const double c = part / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double luminance =
      0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
  return is_dark(colour) ? 1.05 / (luminance + 0.05) : (luminance + 0.05) / 0.05;
}

TEST(ChangeBin, Edges) {
  for (const auto& [points, bin] : {std::pair{0.0, 0},
                                    {0.25, 0},
                                    {-0.25, 0},
                                    {0.26, 1},
                                    {1.0, 1},
                                    {-1.01, -2},
                                    {3.0, 2},
                                    {3.01, 3},
                                    {8.0, 3},
                                    {8.01, 4},
                                    {100.0, 4},
                                    {-100.0, -4}})
    EXPECT_EQ(change_bin(points), bin) << points;
}

TEST(ChangeBin, TextIsLegibleOnEach) {
  for (int bin = -kLastBin; bin <= kLastBin; ++bin)
    EXPECT_GE(contrast(bin_colour(bin)), 5.4) << bin;
}

}  // namespace
}  // namespace aiflame::svg
