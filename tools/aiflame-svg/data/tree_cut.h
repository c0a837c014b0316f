// SPDX-License-Identifier: MIT
// Which nodes of a tree are written when not all are.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// The widest; of those that are about as wide as the narrowest written (a class of TreeSizes), the
// ones to the left. No node is wider than the one it stands on, nor has it a lesser number: if a
// node is written, so are those below it.
class TreeCut {
 public:
  // About `goal` bytes of nodes and names: sizes are estimates.
  TreeCut(const FlameTree& tree, const TreeSizes& sizes, uint64_t goal);

  bool takes(uint32_t node, uint64_t width) const {
    return width >= all_from_ || (width >= some_from_ && node < some_end_);
  }
  // Nothing that counts is left out.
  bool takes_all() const { return all_from_ == 1; }

 private:
  // Nodes as wide as `all_from_` are written, those as wide as `some_from_` in front of a node.
  uint64_t all_from_ = 1, some_from_ = 1;
  uint32_t some_end_ = 0;
};

}  // namespace aiflame::svg
