// SPDX-License-Identifier: MIT
// Chooses the nodes of a tree that are written when not all of them fit.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Takes the widest nodes. In the last class of widths (see TreeSizes) that has room, takes those to
// the left. A node is never wider than its parent, and its number is greater. So when a node is
// taken, so are all its ancestors.
class TreeCut {
 public:
  // Takes about `goal` bytes of nodes and names: sizes are estimates.
  TreeCut(const FlameTree& tree, const TreeSizes& sizes, uint64_t goal);

  bool takes(uint32_t node, uint64_t width) const {
    return width >= all_from_ || (width >= some_from_ && node < some_end_);
  }
  // Whether all nodes that have counts are taken.
  bool takes_all() const { return all_from_ == 1; }

 private:
  // Takes nodes at least as wide as all_from_, and nodes at least as wide as some_from_ before the
  // node some_end_.
  uint64_t all_from_ = 1, some_from_ = 1;
  uint32_t some_end_ = 0;
};

}  // namespace aiflame::svg
