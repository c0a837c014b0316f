// SPDX-License-Identifier: MIT
// Chooses the frames to draw, and places them along the x axis.
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
  uint64_t room;  // its width in counts: more than `count` where vanished counts are to be seen
};

// The frames at least `least` counts wide, from left to right, each before its descendants: the
// deeper frames that follow it. `total` is the width of the root if it is more than the counts.
std::vector<Frame> lay_out(const FlameTree& tree, double least, uint64_t total);

// The width of the picture, in counts.
uint64_t whole_room(const FlameTree& tree, const Drawing& drawing);

// The frames that `drawing` shows as elements.
std::vector<Frame> drawn_frames(const FlameTree& tree, const Drawing& drawing);

}  // namespace aiflame::svg
