// SPDX-License-Identifier: MIT
// What is said about a frame, and about the whole of a differential.
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

// "16.50 us \u2192 5.000 us (-69.7%)": what a differential counted before and after; text, not XML.
std::string totals_text(const FlameTree& tree, const Drawing& drawing);

}  // namespace aiflame::svg
