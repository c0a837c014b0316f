// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/node_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/aiflame-svg/data/packed_number.h"

namespace aiflame::svg {
namespace {

// A piece, which one thread makes at a time: at most this many nodes, and about this much text.
constexpr uint32_t kPieceNodes = 1U << 15;
constexpr size_t kPieceText = size_t{1} << 17;

}  // namespace

NodeText::NodeText(const FlameTree& tree, const TreeSizes& sizes, const TreeCut& cut,
                   const std::vector<uint32_t>& lines)
    : tree_(tree),
      sizes_(sizes),
      cut_(cut),
      lines_(lines),
      differential_(tree.differential()),
      in_input_order_(tree.order() == FlameTree::Order::input) {
  divide();
}

// Divides the tree into pieces of whole subtrees. Nodes whose subtrees are larger than a piece are
// written right here.
void NodeText::divide() {
  std::vector<Step> pending = {{FlameTree::kRoot, 0, 0}};
  uint32_t nodes = 0;     // in the last piece
  bool together = false;  // the last piece consists of steps_
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

// Adds the children that are written to `pending`, the leftmost last.
NodeText::Own NodeText::queue_children(const Step& step, std::vector<Step>& pending) const {
  const uint32_t node = step.node;
  Own own{tree_.total(node), tree_.total_before(node)};
  uint64_t gap = 0;
  const size_t first = pending.size();
  uint64_t at = in_input_order_ ? tree_.start(node) : 0;
  for (const uint32_t child : tree_.children(node)) {
    const uint64_t total = tree_.total(child), before = tree_.total_before(child);
    own.self -= total;
    own.self_before -= before;
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
    const uint64_t room = tree_.room(child);
    gap += room;
    own.rest += total;
    own.rest_before += before;
    own.rest_room += room;
    own.rest_frames += sizes_.frames_below(child) + 1;
  }
  std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
  return own;
}

// Writes one node, and adds its children to `pending`.
void NodeText::write(Piece& piece, const Step& step, std::vector<Step>& pending) const {
  const Own own = queue_children(step, pending);
  const bool counts = own.self > 0 || own.self_before > 0;
  const bool extra = step.gap > 0 || own.rest_frames > 0;
  const uint32_t flags = (extra ? 2 : 0) + (counts ? 1 : 0);
  std::array<char, 10 * kNumberSize> text;
  char* out = text.data();
  const auto number = [&out](uint64_t value) { out = put_number(out, value); };
  if (piece.nodes++ > 0) {
    number((uint64_t{piece.last_depth} + 1 - step.depth) * 4 + flags);
  } else {
    piece.flags = flags;
    piece.depth = step.depth;
  }
  piece.last_depth = step.depth;
  number(lines_[tree_.name_id(step.node)]);
  if (counts) {
    number(own.self);
    if (differential_) number(own.self_before);
  }
  if (extra) {
    number((step.gap > 0 ? 1 : 0) + (own.rest_frames > 0 ? 2 : 0));
    if (step.gap > 0) number(step.gap);
    if (own.rest_frames > 0) {
      number(own.rest);
      if (differential_) number(own.rest_before);
      if (tree_.shows_vanished()) number(own.rest_room);
      number(own.rest_frames);
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
