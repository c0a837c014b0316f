// SPDX-License-Identifier: MIT
// Which frames are drawn, and where along the x axis.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct Frame {
  uint32_t node;
  uint32_t depth;  // 0 is the root
  uint64_t start;  // in counts, from the left edge
  uint64_t count;
};

// The frames that count at least `least`, each before those on top of it, from left to right: a
// frame's descendants are the ones behind it that are deeper. `total` widens the root.
std::vector<Frame> lay_out(const FlameTree& tree, double least, uint64_t total);

// The frames that `drawing` shows as elements, `total` being what its whole width stands for.
std::vector<Frame> drawn_frames(const FlameTree& tree, const Drawing& drawing, uint64_t total);

}  // namespace aiflame::svg
