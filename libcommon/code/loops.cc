// SPDX-License-Identifier: MIT
#include "libcommon/code/loops.h"

#include <algorithm>

#include "libcommon/code/dominators.h"

namespace aiflame {
namespace {

// Finds the members of one loop after the other, inner ones first, so that the walk back through an
// outer loop takes an inner one as a single step: each instruction is walked over once.
class Search {
 public:
  explicit Search(const FlowGraph& ways) : ways_(ways), dominators_(ways) {
    out_.innermost.assign(ways.size(), Loop::kNone);
  }

  Loops run() {
    const std::vector<uint32_t>& order = dominators_.order();
    for (auto head = order.rbegin(); head != order.rend(); ++head) add_loop_at(*head);
    return std::move(out_);
  }

 private:
  void add_loop_at(uint32_t head) {
    Loop it;
    it.head = head;
    dominators_.each_predecessor(head, [&](uint32_t before) {
      if (dominators_.dominates(head, before)) it.back_jumps.push_back(before);
    });
    if (it.back_jumps.empty() || is_padding(it)) return;
    std::sort(it.back_jumps.begin(), it.back_jumps.end());
    const auto loop = static_cast<uint32_t>(out_.all.size());
    open_ = it.back_jumps;
    out_.innermost[head] = loop;
    out_.all.push_back(std::move(it));
    outermost_.push_back(loop);
    while (!open_.empty()) {
      const uint32_t index = open_.back();
      open_.pop_back();
      add_member(index, loop);
    }
  }

  // A jump to itself that nothing leads to.
  bool is_padding(const Loop& it) const {
    return it.back_jumps.size() == 1 && it.back_jumps.front() == it.head && it.head != 0 &&
           dominators_.is_entry(it.head) && !ways_.goes_on(it.head);
  }

  void add_member(uint32_t index, uint32_t loop) {
    uint32_t entered = index;  // what the ways from outside lead to
    if (out_.innermost[index] == Loop::kNone) {
      out_.innermost[index] = loop;
    } else {
      const uint32_t inner = outermost(out_.innermost[index]);
      if (inner == loop) return;
      out_.all[inner].parent = outermost_[inner] = loop;
      entered = out_.all[inner].head;
    }
    dominators_.each_predecessor(entered, [&](uint32_t before) { open_.push_back(before); });
  }

  // The outermost known loop around a loop; on the way there, steps get longer.
  uint32_t outermost(uint32_t loop) {
    while (outermost_[loop] != loop) loop = outermost_[loop] = outermost_[outermost_[loop]];
    return loop;
  }

  const FlowGraph& ways_;
  Dominators dominators_;
  Loops out_;
  std::vector<uint32_t> outermost_;  // by loop: one around it, itself if none is known
  std::vector<uint32_t> open_;       // instructions to be added
};

}  // namespace

Loops find_loops(const FlowGraph& ways) {
  return Search(ways).run();
}

}  // namespace aiflame
