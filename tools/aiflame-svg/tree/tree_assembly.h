// SPDX-License-Identifier: MIT
// A flame tree out of stacks in order, by several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/read/stack_runs.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Each thread makes the nodes of a part of the stacks. Those of frames that a part shares with the
// part before it were made there; which end and what total they have is known when all parts are
// joined.
class TreeAssembly {
 public:
  // Each part is one run, and its stacks are behind those of the part before. The names' numbers
  // are in the order of sorted_names(); `root_name` is the root's.
  TreeAssembly(std::vector<StackRuns>&& parts, NameTable&& names, uint32_t root_name);

  // To be called once.
  FlameTree finish();

 private:
  // A frame on which others may yet come to stand, and what it counts so far.
  struct Open {
    uint32_t node;
    uint64_t total, before;
  };
  struct Part {
    StackRuns stacks;
    // Of the root and the frames that the part's first stack shares with the part before: the first
    // `shared` of open.
    uint32_t shared = 1;
    uint32_t first = 0;  // node
    // Behind the part's last stack; of shared frames only what the part adds to them.
    std::vector<Open> open;
    // Shared frames that end in this part, the highest first: `node` is where.
    std::vector<Open> closed;
    // Nodes whose children may not be in order; of shared frames their place in `open`.
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
  std::vector<bool> moves_;       // by name: with a blank behind it, it is left of more names
  std::vector<Open> open_;        // behind the parts that are joined
  std::vector<uint32_t> unsure_;  // of these
  FlameTree tree_;
};

}  // namespace aiflame::svg
