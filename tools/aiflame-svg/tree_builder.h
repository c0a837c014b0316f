// SPDX-License-Identifier: MIT
// Makes a flame tree from its frames in the order they stand in it, depth first.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/flame_tree.h"

namespace aiflame {

class TreeBuilder {
 public:
  // The root is open, by a name of its own. No total will be greater than `most`. Counts from
  // before are kept when `before` is set, or else forgotten.
  TreeBuilder(FlameTree::Order order, bool before, uint64_t most, uint32_t root_name);

  // Opens a frame on top of the open one, and returns its node. Throws Error when there are more
  // nodes than numbers.
  uint32_t open(uint32_t name);
  // Adds to what the open frame counts itself.
  void count(uint64_t count, uint64_t before);
  void close();
  // How many frames are open, with the root.
  size_t depth() const { return open_.size(); }

  // Multiplies every count; they are known to fit 64 bits, and `most` was UINT64_MAX.
  void scale(uint64_t factor);

  // Puts what is on top of `parent`, which is closed, into another order.
  void arrange(uint32_t parent, const std::vector<uint32_t>& children);

  // As far as it is closed.
  const FlameTree& tree() const { return tree_; }
  // Closes what is open.
  FlameTree finish(NameTable&& names, bool differential);

 private:
  struct Open {
    uint32_t node;
    uint64_t total, before;
  };

  FlameTree tree_;
  std::vector<Open> open_;
  uint64_t sum_ = 0;
};

}  // namespace aiflame
