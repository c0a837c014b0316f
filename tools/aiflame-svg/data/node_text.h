// SPDX-License-Identifier: MIT
// The nodes of a tree as text, made in pieces by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/aiflame-svg/data/tree_cut.h"
#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/text/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// tree_data.h describes the format.
class NodeText {
 public:
  // `lines` are the names' lines, by name id.
  NodeText(const FlameTree& tree, const TreeSizes& sizes, const TreeCut& cut,
           const std::vector<uint32_t>& lines);

  size_t pieces() const { return pieces_.size(); }
  // To be called once for each piece, by several threads at a time.
  void make(size_t piece);
  // The bytes and the nodes of the pieces that have been made.
  uint64_t size() const;
  uint64_t nodes() const;

  // Gives the text of all pieces to `sink`. Calls `cut` between two nodes whenever a little more
  // than `chunk` bytes were written since the last call.
  void put(const Sink& sink, size_t chunk, const std::function<void()>& cut) const;

 private:
  // A node to be written.
  struct Step {
    uint32_t node;
    uint32_t depth;
    uint64_t gap;  // counts between it and the node to its left
  };
  // A part of the text. `text` lacks the first number of the first node: how many levels that node
  // goes back depends on the previous piece.
  struct Piece {
    size_t first = 0, last = 0;  // its part of steps_
    std::string text;
    uint32_t nodes = 0;
    uint32_t flags = 0, depth = 0;  // of the first node
    uint32_t last_depth = 0;
  };

  void divide();
  // The counts of a node that are not in nodes on top of it.
  struct Own {
    uint64_t self, self_before;
    // of children that are left out
    uint64_t rest = 0, rest_before = 0, rest_room = 0, rest_frames = 0;
  };

  void write(Piece& piece, const Step& step, std::vector<Step>& pending) const;
  Own queue_children(const Step& step, std::vector<Step>& pending) const;

  const FlameTree& tree_;
  const TreeSizes& sizes_;
  const TreeCut& cut_;
  const std::vector<uint32_t>& lines_;
  const bool differential_, in_input_order_;
  std::vector<Step> steps_;
  std::vector<Piece> pieces_;
};

}  // namespace aiflame::svg
