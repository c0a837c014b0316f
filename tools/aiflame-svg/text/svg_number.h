// SPDX-License-Identifier: MIT
// Formats numbers for SVG.
#pragma once

#include <string>

namespace aiflame::svg {

// `value` with up to `digits` decimals, without trailing zeros.
std::string number(double value, int digits = 2);
// Appends `value` with a fixed number of decimals; a big picture has millions of these.
void append_fixed(std::string& out, double value, int digits);

}  // namespace aiflame::svg
