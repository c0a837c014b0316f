// SPDX-License-Identifier: MIT
// Which instruction stands on every way to another one (pure): it dominates that one.
//
// Ways begin where a function is entered: at the first instruction and at the targets of calls. A
// call is a way to the instruction below it. Code that no known way leads to, such as the cases of
// a table of jumps, begins where it stands: ways from it into other code do not count.
//
// The algorithm is that of Lengauer and Tarjan ("A fast algorithm for finding dominators in a
// flowgraph", 1979) with paths compressed: n instructions take n log n steps whatever the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/code/flow_graph.h"

namespace aiflame {

class Dominators {
 public:
  // `ways` outlive this.
  explicit Dominators(const FlowGraph& ways);
  explicit Dominators(FlowGraph&&) = delete;

  // Whether every way to `later` leads over `earlier`. Each dominates itself.
  bool dominates(uint32_t earlier, uint32_t later) const {
    const uint32_t above = number_[earlier], below = number_[later];
    return place_[below] >= place_[above] && place_[below] - place_[above] < count_[above];
  }

  // Whether ways begin there.
  bool is_entry(uint32_t index) const { return entry_[number_[index]] == number_[index]; }

  // All instructions; each one behind those that dominate it.
  const std::vector<uint32_t>& order() const { return order_; }

  // Calls visit(predecessor) for each instruction that may run just before, on counted ways.
  template <typename Visit>
  void each_predecessor(uint32_t index, const Visit& visit) const {
    ways_.each_in_function(index, [&](uint32_t before) {
      if (entry_[number_[before]] == entry_[number_[index]]) visit(before);
    });
  }

 private:
  struct Successors;

  void go_down(uint32_t entry, const Successors& after);
  std::vector<uint32_t> immediate() const;

  const FlowGraph& ways_;
  // Instructions are numbered as a search forward meets them. What follows is by that number.
  std::vector<uint32_t> number_;  // by instruction
  std::vector<uint32_t> order_;   // instructions
  std::vector<uint32_t> above_;   // the one from which it was met; itself for an entry
  std::vector<uint32_t> entry_;   // the entry from which it was met
  // The tree of dominators: how many each dominates, and its place when each stands just in front
  // of those.
  std::vector<uint32_t> count_, place_;
};

}  // namespace aiflame
