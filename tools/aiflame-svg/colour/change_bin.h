// SPDX-License-Identifier: MIT
// The colours of a change, in nine fixed bins: a colour means the same in every picture, whatever
// else changed. page/difference.js has the same bins.
#pragma once

#include <array>

#include "tools/aiflame-svg/colour/colour.h"

namespace aiflame::svg {

// The edges between bins, in percent of all before; of shares of all, in points.
inline constexpr std::array<double, 4> kBinEdges = {0.25, 1, 3, 8};
inline constexpr int kLastBin = static_cast<int>(kBinEdges.size());

// From -kLastBin, more than 8 points fewer, to kLastBin, more than 8 points more. 0: hardly any
// change, and white.
int change_bin(double points);
Colour bin_colour(int bin);

}  // namespace aiflame::svg
