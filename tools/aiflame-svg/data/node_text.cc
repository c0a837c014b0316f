// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/node_text.h"

#include <algorithm>
#include <string_view>

namespace aiflame::svg {
namespace {

// What a thread makes at a time, in nodes of the tree and in text.
constexpr uint32_t kPieceNodes = 1U << 15;
constexpr size_t kPieceText = size_t{1} << 17;

}  // namespace

NodeText::NodeText(const FlameTree& tree, const TreeSizes& sizes, const TreeCut& cut,
                   const std::vector<uint32_t>& numbers)
    : tree_(tree),
      sizes_(sizes),
      cut_(cut),
      numbers_(numbers),
      differential_(tree.differential()),
      in_input_order_(tree.order() == FlameTree::Order::input) {
  divide();
}

// Nodes on which so much stands that a piece is made of less are written here.
void NodeText::divide() {
  std::vector<Step> pending = {{FlameTree::kRoot, 0, 0}};
  uint32_t nodes = 0;     // in the last piece
  bool together = false;  // that piece is made of steps
  while (!pending.empty()) {
    const Step step = pending.back();
    pending.pop_back();
    const uint32_t size = tree_.end(step.node) - step.node;
    if (size > kPieceNodes) {
      if (pieces_.empty() || together || pieces_.back().text.size() > kPieceText)
        pieces_.emplace_back();
      together = false;
      write(pieces_.back(), step, pending);
      continue;
    }
    if (!together || nodes + size > kPieceNodes) {
      pieces_.emplace_back().first = steps_.size();
      nodes = 0;
    }
    together = true;
    nodes += size;
    steps_.push_back(step);
    pieces_.back().last = steps_.size();
  }
}

void NodeText::make(size_t number) {
  Piece& piece = pieces_[number];
  std::vector<Step> pending;
  for (size_t i = piece.first; i < piece.last; ++i) {
    pending.push_back(steps_[i]);
    while (!pending.empty()) {
      const Step step = pending.back();
      pending.pop_back();
      write(piece, step, pending);
    }
  }
}

// What stands on it is added to `pending`, the leftmost last.
void NodeText::write(Piece& piece, const Step& step, std::vector<Step>& pending) const {
  const uint32_t node = step.node;
  uint64_t self = tree_.total(node), self_before = tree_.total_before(node);
  uint64_t rest = 0, rest_before = 0, rest_frames = 0, gap = 0;
  const size_t first = pending.size();
  uint64_t at = in_input_order_ ? tree_.start(node) : 0;
  for (const uint32_t child : tree_.children(node)) {
    const uint64_t total = tree_.total(child), before = tree_.total_before(child);
    self -= total;
    self_before -= before;
    const uint64_t width = std::max(total, before);
    if (width == 0) continue;
    if (in_input_order_) {
      gap += tree_.start(child) - at;
      at = tree_.start(child) + total;
    }
    if (cut_.takes(child, width)) {
      pending.push_back({child, step.depth + 1, gap});
      gap = 0;
      continue;
    }
    gap += total;
    rest += total;
    rest_before += before;
    rest_frames += sizes_.frames_below(child) + 1;
  }
  std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());

  const bool own = self > 0 || self_before > 0, extra = step.gap > 0 || rest_frames > 0;
  const uint32_t flags = (extra ? 2 : 0) + (own ? 1 : 0);
  std::array<char, 8 * kNumberSize> text;
  char* out = text.data();
  const auto number = [&out](uint64_t value) { out = put_number(out, value); };
  if (piece.nodes++ > 0) {
    number((uint64_t{piece.last_depth} + 1 - step.depth) * 4 + flags);
  } else {
    piece.flags = flags;
    piece.depth = step.depth;
  }
  piece.last_depth = step.depth;
  number(numbers_[tree_.name_id(node)]);
  if (own) {
    number(self);
    if (differential_) number(self_before);
  }
  if (extra) {
    number((step.gap > 0 ? 1 : 0) + (rest_frames > 0 ? 2 : 0));
    if (step.gap > 0) number(step.gap);
    if (rest_frames > 0) {
      number(rest);
      if (differential_) number(rest_before);
      number(rest_frames);
    }
  }
  piece.text.append(text.data(), out);
}

uint64_t NodeText::size() const {
  uint64_t size = 0;
  for (const Piece& piece : pieces_) size += piece.text.size() + (piece.nodes > 0 ? 1 : 0);
  return size;
}

uint64_t NodeText::nodes() const {
  uint64_t nodes = 0;
  for (const Piece& piece : pieces_) nodes += piece.nodes;
  return nodes;
}

void NodeText::put(const Sink& sink, size_t chunk, const std::function<void()>& cut) const {
  size_t size = 0;
  uint32_t last_depth = 0;
  for (const Piece& piece : pieces_) {
    if (piece.nodes == 0) continue;
    if (size > chunk) {
      cut();
      size = 0;
    }
    std::array<char, kNumberSize> text;
    const bool is_root = &piece == &pieces_.front();
    const uint64_t up = is_root ? 0 : uint64_t{last_depth} + 1 - piece.depth;
    sink({text.data(), put_number(text.data(), up * 4 + piece.flags)});
    sink(piece.text);
    size += piece.text.size();
    last_depth = piece.last_depth;
  }
}

}  // namespace aiflame::svg
