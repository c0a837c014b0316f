// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/colour.h"

#include <algorithm>

namespace aiflame::svg {

std::string rgb(Colour colour) {
  return "rgb(" + std::to_string(colour.red) + "," + std::to_string(colour.green) + "," +
         std::to_string(colour.blue) + ")";
}

// White below a relative luminance of 0.179, where black and white have the same contrast, 4.58:1.
// All is integers, so that isDark() in page/fills.js decides the same. The polynomial is within
// 1 % of sRGB's curve where that matters: a test tries all colours.
bool is_dark(Colour colour) {
  const auto linear = [](uint64_t c) {  // c to the power of about 2.2; 1 is 255^3 * 1000
    return c * (c * (c * 305 + uint64_t{682} * 255) + uint64_t{13} * 255 * 255);
  };
  const uint64_t luminance =
      2126 * linear(colour.red) + 7152 * linear(colour.green) + 722 * linear(colour.blue);
  return luminance < uint64_t{1790} * 1000 * 255 * 255 * 255;
}

Colour difference_colour(uint64_t before, uint64_t after, uint64_t greatest, bool negate) {
  if (before == after) return {255, 255, 255};
  const uint64_t change = before < after ? after - before : before - after;
  const double rest = static_cast<double>(greatest - std::min(change, greatest));
  const auto pale = static_cast<uint8_t>(210 * rest / static_cast<double>(greatest));
  if ((before < after) != negate) return {255, pale, pale};
  return {pale, pale, 255};
}

}  // namespace aiflame::svg
