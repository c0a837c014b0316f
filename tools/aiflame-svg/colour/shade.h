// SPDX-License-Identifier: MIT
// Where in its ramp the colour of a frame lies, computed from the frame's name.
#pragma once

#include <array>
#include <string_view>

namespace aiflame::svg {

enum class Shade {
  name,       // the sum of the name's characters, as flamegraph.pl does by default
  hash,       // --hash: the name's first characters count most, so similar names look alike
  scrambled,  // --random: similar names look different, yet every run gives the same colours
};

// Three values from 0 to less than 1.
std::array<double, 3> shade_values(std::string_view name, Shade shade);

}  // namespace aiflame::svg
