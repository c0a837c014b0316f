// SPDX-License-Identifier: MIT
// Builds a flame tree in input order, frame by frame, depth first.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class TreeBuilder {
 public:
  // Opens the root under this name.
  explicit TreeBuilder(uint32_t root_name);

  // Opens a frame on top of the open one. Throws Error when the tree has too many nodes.
  void open(uint32_t name);
  // Adds to the own count of the open frame.
  void count(uint64_t count, uint64_t before);
  void close();
  // How many frames are open, the root too.
  size_t depth() const { return open_.size(); }

  // Multiplies every count. The caller knows that the results fit 64 bits.
  void scale(uint64_t factor);

  // Closes all open frames.
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

}  // namespace aiflame::svg
