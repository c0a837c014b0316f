// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/layout.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "tools/aiflame-svg/draw/geometry.h"

namespace aiflame::svg {
namespace {

// Keeps the `most` widest frames, of equals those to the left. No frame is wider than its parent,
// and each comes after it, so every frame that stays has its ancestors.
void keep_widest(std::vector<Frame>& frames, size_t most) {
  if (frames.size() <= most) return;
  std::vector<uint64_t> rooms;
  rooms.reserve(frames.size());
  for (const Frame& frame : frames) rooms.push_back(frame.room);
  const auto last = rooms.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(rooms.begin(), last, rooms.end(), std::greater<>());
  const uint64_t least = *last;
  auto equals = std::count(rooms.begin(), last + 1, least);
  std::erase_if(frames, [&](const Frame& frame) {
    return frame.room < least || (frame.room == least && equals-- <= 0);
  });
}

}  // namespace

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
  std::vector<Frame> frames = lay_out(tree, least, drawing.total);
  keep_widest(frames, drawing.most_frames);
  return frames;
}

}  // namespace aiflame::svg
