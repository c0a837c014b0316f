// SPDX-License-Identifier: MIT
#include "libcommon/device/reason_colours.h"

#include "libcommon/base/program.h"

namespace aiflame {

ReasonColour colour_of_reasons(StallReason::Category category) {
  // in the order of the categories
  constexpr ReasonColour kColours[StallReason::kCategories] = {
      {0x9c, 0x2a, 0x6b}, {0x5b, 0x4b, 0xb5}, {0x1f, 0x6f, 0xb2}, {0x0f, 0x76, 0x6e},
      {0xa6, 0x4d, 0x09}, {0x2e, 0x7d, 0x32}, {0x54, 0x60, 0x6f},
  };
  return kColours[static_cast<size_t>(category)];
}

std::string hex_colour_of_reasons(StallReason::Category category) {
  const auto [red, green, blue] = colour_of_reasons(category);
  return format("#%02x%02x%02x", red, green, blue);
}

std::string listing_colours() {
  std::string out = ".listing {";
  for (size_t i = 0; i < StallReason::kCategories; ++i)
    out += " --k" + std::to_string(i) + ": " +
           hex_colour_of_reasons(static_cast<StallReason::Category>(i)) + ";";
  return out + " }\n";
}

}  // namespace aiflame
