// SPDX-License-Identifier: MIT
// The meaning of the colours of a differential, and how much only one side has, in the free line at
// the foot of the picture. The frames stay where flamegraph.pl draws them.
#pragma once

#include <string>

#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/draw/sides.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// `total` is what the whole width stands for after, `base` the base line of the foot's text.
std::string difference_legend(const FlameTree& tree, const Drawing& drawing, const OneSided& only,
                              uint64_t total, double base);

}  // namespace aiflame::svg
