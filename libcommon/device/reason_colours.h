// SPDX-License-Identifier: MIT
// The colours of stall reasons, by category: the same in pictures and listings. All are dark enough
// for white text, at 5.1:1 or more.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/code/stall_reasons.h"

namespace aiflame {

struct ReasonColour {
  uint8_t red, green, blue;
};
ReasonColour colour_of_reasons(StallReason::Category category);

// For the style of listings, in which --k0 is the colour of the first category.
std::string listing_colours();

// "#9c2a6b"
std::string hex_colour_of_reasons(StallReason::Category category);

}  // namespace aiflame
