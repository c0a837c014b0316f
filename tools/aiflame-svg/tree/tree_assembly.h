// SPDX-License-Identifier: MIT
// Makes a flame tree from sorted stacks, by several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/merge/sorter_merge.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Each thread makes the nodes of a part of the stacks. Frames that a part shares with the previous
// part already have nodes there. Where these nodes end, and their totals, is known when all parts
// are joined in order.
class TreeAssembly {
 public:
  explicit TreeAssembly(MergedStacks&& stacks);

  // May be called once.
  FlameTree finish();

 private:
  // A frame that may still get descendants, and its counts so far.
  struct Open {
    uint32_t node;
    uint64_t total, before;
  };
  struct Part {
    StackRuns stacks;
    // How many nodes at the bottom were made by earlier parts: the root, and the frames that the
    // part's first stack shares with these parts. They are the first `shared` of `open`.
    uint32_t shared = 1;
    uint32_t first = 0;  // its first node
    // The frames that are open after the part's last stack. Shared frames have only the counts that
    // this part adds.
    std::vector<Open> open;
    // Shared frames that end in this part, the highest first. `node` is where they end.
    std::vector<Open> closed;
    // Nodes whose children may be out of order. Shared frames are given by their place in `open`.
    std::vector<uint32_t> unsure, unsure_shared;
  };

  void number_nodes();
  void make_room(uint64_t nodes);
  void find_moving_names();
  void assemble(Part& part);
  void join(const Part& part);
  void close(Open* open, uint32_t end);
  void close_last(uint32_t end);
  void mend_order();
  void arrange(uint32_t parent, const std::vector<uint32_t>& children);

  std::vector<Part> parts_;
  uint32_t root_name_;
  std::vector<bool> moves_;       // by name: it moves to the left when a blank follows it
  std::vector<Open> open_;        // after the parts that are joined so far
  std::vector<uint32_t> unsure_;  // of the parts that are joined so far
  FlameTree tree_;
};

}  // namespace aiflame::svg
