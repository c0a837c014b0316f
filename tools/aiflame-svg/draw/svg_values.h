// SPDX-License-Identifier: MIT
// Numbers and colours as SVG has them.
#pragma once

#include <string>

#include "tools/aiflame-svg/draw/palette.h"

namespace aiflame::svg {

// `value` with up to `digits` decimals, without zeros at their end.
std::string number(double value, int digits = 2);
// Appends `value` with a fixed number of decimals; a big picture has millions of these.
void append_fixed(std::string& out, double value, int digits);
// "rgb(1,2,3)"
std::string rgb(Colour colour);

}  // namespace aiflame::svg
