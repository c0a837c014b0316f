// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/colour.h"

#include <algorithm>

namespace aiflame::svg {

std::string rgb(Colour colour) {
  return "rgb(" + std::to_string(colour.red) + "," + std::to_string(colour.green) + "," +
         std::to_string(colour.blue) + ")";
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
