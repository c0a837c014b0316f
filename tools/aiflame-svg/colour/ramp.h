// SPDX-License-Identifier: MIT
// Ramps: ranges of one hue, from which a palette takes the colour of a frame.
#pragma once

#include <array>
#include <string_view>

#include "tools/aiflame-svg/colour/colour.h"

namespace aiflame::svg {

bool is_ramp(std::string_view name);

// The ramp must exist. `values` are from 0 to less than 1; each channel follows one of them.
Colour ramp_colour(std::string_view ramp_name, const std::array<double, 3>& values);

}  // namespace aiflame::svg
