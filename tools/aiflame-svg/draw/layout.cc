// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/layout.h"

#include <algorithm>

#include "tools/aiflame-svg/draw/geometry.h"

namespace aiflame::svg {

std::vector<Frame> lay_out(const FlameTree& tree, double least, uint64_t total) {
  std::vector<Frame> drawn;
  // no recursion, since stacks may have 100 000 frames
  std::vector<Frame> pending = {{FlameTree::kRoot, 0, 0,
                                 std::max(total, tree.total(FlameTree::kRoot)),
                                 std::max(total, tree.room(FlameTree::kRoot))}};
  std::vector<Frame> wide;
  while (!pending.empty()) {
    const Frame frame = pending.back();
    pending.pop_back();
    drawn.push_back(frame);
    uint64_t start = frame.start + tree.self_room(frame.node);
    wide.clear();
    for (const uint32_t child : tree.children(frame.node)) {
      const uint64_t room = tree.room(child);
      if (tree.order() == FlameTree::Order::input) start = tree.start(child);
      if (room > 0 && static_cast<double>(room) >= least)
        wide.push_back({child, frame.depth + 1, start, tree.total(child), room});
      start += room;
    }
    pending.insert(pending.end(), wide.rbegin(), wide.rend());
  }
  return drawn;
}

uint64_t whole_room(const FlameTree& tree, const Drawing& drawing) {
  return std::max(drawing.total, tree.room(FlameTree::kRoot));
}

std::vector<Frame> drawn_frames(const FlameTree& tree, const Drawing& drawing) {
  const uint64_t whole = whole_room(tree, drawing);
  const double least = drawing.least_is_percent
                           ? static_cast<double>(whole) * drawing.least_width / 100
                           : drawing.least_width / Geometry(drawing, 0, whole, 0).per_count;
  return lay_out(tree, least, drawing.total);
}

}  // namespace aiflame::svg
