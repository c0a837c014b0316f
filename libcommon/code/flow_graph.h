// SPDX-License-Identifier: MIT
// The ways through device code: which instructions may run just before another one (pure). A search
// for what an instruction waits for goes along them, backwards.
//
// Instructions are numbered from 0, in the order of their addresses. A call whose target is known
// leads to the function's entry, and from its returns to the instruction below the call. Where a
// jump or a call leads is not always known: then no way is known to what runs after it, and a
// search ends there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame {

struct FlowEdge {
  uint32_t from = 0, to = 0;
};

struct Flow {
  // By instruction: whether the next one may follow, without a call between them.
  std::vector<bool> falls_through;
  std::vector<bool> returns;  // by instruction; empty: none does
  // By instruction: a call below which its caller goes on, known or not. Empty: none is.
  std::vector<bool> comes_back;
  std::vector<FlowEdge> jumps;  // those from or to instructions that do not exist are ignored
  std::vector<FlowEdge> calls;  // from the call to the function's entry
};

class FlowGraph {
 public:
  explicit FlowGraph(Flow flow);

  size_t size() const { return flow_.falls_through.size(); }

  // Sorted by their target.
  const std::vector<FlowEdge>& jumps() const { return flow_.jumps; }
  const std::vector<FlowEdge>& calls() const { return flow_.calls; }

  // Whether the instruction below may run next in the same function: at once, or after a call.
  bool goes_on(uint32_t index) const {
    return flow_.falls_through[index] || flow_.comes_back[index];
  }

  // Calls visit(predecessor) for those in the same function; a call is one of what is below it.
  template <typename Visit>
  void each_in_function(uint32_t index, const Visit& visit) const {
    if (index > 0 && goes_on(index - 1)) visit(index - 1);
    for (const FlowEdge* jump = begin(flow_.jumps, jumps_, index);
         jump != begin(flow_.jumps, jumps_, index + 1); ++jump)
      visit(jump->from);
  }

  // How a way leads from a predecessor: within its function, from a function's return to below the
  // call, or from a call to a function's entry.
  enum class Way { within, returns, calls };

  // Calls visit(predecessor, way, call) for each predecessor of an instruction; `call` is the
  // calling instruction for the last two ways.
  template <typename Visit>
  void each_predecessor(uint32_t index, const Visit& visit) const {
    if (index > 0 && flow_.falls_through[index - 1]) visit(index - 1, Way::within, 0u);
    for (const FlowEdge* jump = begin(flow_.jumps, jumps_, index);
         jump != begin(flow_.jumps, jumps_, index + 1); ++jump)
      visit(jump->from, Way::within, 0u);
    for (const FlowEdge* call = begin(flow_.calls, calls_, index);
         call != begin(flow_.calls, calls_, index + 1); ++call)
      visit(call->from, Way::calls, call->from);
    // `to` of a return is its call
    if (index == 0 || returns_.empty()) return;
    for (const FlowEdge* back = begin(returns_, returned_, index - 1);
         back != begin(returns_, returned_, index); ++back)
      visit(back->from, Way::returns, index - 1);
  }

 private:
  // Where the edges to each instruction begin, in edges that are sorted by `to`.
  using Index = std::vector<uint32_t>;

  static const FlowEdge* begin(const std::vector<FlowEdge>& edges, const Index& of, uint32_t to) {
    return edges.data() + of[to];
  }
  Index sort_by_target(std::vector<FlowEdge>& edges) const;
  void find_returns();

  Flow flow_;
  std::vector<FlowEdge> returns_;  // from a return to the call that it may return to
  Index jumps_, calls_, returned_;
};

}  // namespace aiflame
