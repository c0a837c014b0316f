// SPDX-License-Identifier: MIT
// The tooltip of a frame.
#pragma once

#include <string>

#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// "NAME (1,234 samples, 12.34%)" as XML. In a differential also the change and, in further lines,
// the counts before and after. Percentages are of `total`.
std::string frame_title(const FlameTree& tree, const Frame& frame, const Drawing& drawing,
                        uint64_t total);

}  // namespace aiflame::svg
