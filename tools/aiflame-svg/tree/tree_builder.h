// SPDX-License-Identifier: MIT
// Makes a flame tree in input order from its frames, depth first.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class TreeBuilder {
 public:
  // The root is open, by a name of its own.
  explicit TreeBuilder(uint32_t root_name);

  // Opens a frame on top of the open one. Throws Error when there are more nodes than numbers.
  void open(uint32_t name);
  // Adds to what the open frame counts itself.
  void count(uint64_t count, uint64_t before);
  void close();
  // How many frames are open, with the root.
  size_t depth() const { return open_.size(); }

  // Multiplies every count; they are known to fit 64 bits.
  void scale(uint64_t factor);

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

}  // namespace aiflame::svg
