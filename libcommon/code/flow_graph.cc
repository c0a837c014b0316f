// SPDX-License-Identifier: MIT
#include "libcommon/code/flow_graph.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace aiflame {
namespace {

// Instructions that are visited to find the returns of all functions, for each instruction. Genuine
// functions overlap little; hostile ones may all run into one another.
constexpr size_t kMaxVisits = 16;

}  // namespace

FlowGraph::FlowGraph(Flow flow) : flow_(std::move(flow)) {
  flow_.returns.resize(size());
  flow_.comes_back.resize(size());
  jumps_ = sort_by_target(flow_.jumps);
  find_returns();
  calls_ = sort_by_target(flow_.calls);
  returned_ = sort_by_target(returns_);
}

FlowGraph::Index FlowGraph::sort_by_target(std::vector<FlowEdge>& edges) const {
  edges.erase(std::remove_if(
                  edges.begin(), edges.end(),
                  [&](const FlowEdge& each) { return each.from >= size() || each.to >= size(); }),
              edges.end());
  std::stable_sort(edges.begin(), edges.end(),
                   [](const FlowEdge& a, const FlowEdge& b) { return a.to < b.to; });
  Index out(size() + 2);
  for (const FlowEdge& each : edges) ++out[each.to + 1];
  for (size_t i = 1; i < out.size(); ++i) out[i] += out[i - 1];
  return out;
}

// Goes forward from the entry of each function that is called to its returns.
void FlowGraph::find_returns() {
  if (flow_.calls.empty()) return;
  std::vector<FlowEdge> jumps = flow_.jumps;
  const auto by_source = [](const FlowEdge& a, const FlowEdge& b) { return a.from < b.from; };
  std::stable_sort(jumps.begin(), jumps.end(), by_source);
  std::vector<bool> calls(size());
  for (const FlowEdge& call : flow_.calls)
    if (call.from < size()) calls[call.from] = true;
  std::unordered_map<uint32_t, std::vector<uint32_t>> returns;  // by entry
  std::vector<uint32_t> seen(size()), open;                     // seen from that function
  size_t visits = kMaxVisits * size();
  uint32_t function = 0;
  const auto visit = [&](uint32_t index) {
    if (index >= size() || seen[index] == function || visits == 0) return;
    --visits;
    seen[index] = function;
    open.push_back(index);
  };
  for (const FlowEdge& call : flow_.calls) {
    const auto [at, added] = returns.try_emplace(call.to);
    if (added) {
      ++function;
      visit(call.to);
      while (!open.empty()) {
        const uint32_t index = open.back();
        open.pop_back();
        if (flow_.returns[index]) at->second.push_back(index);
        if (flow_.falls_through[index] || calls[index]) visit(index + 1);
        for (auto jump =
                 std::lower_bound(jumps.begin(), jumps.end(), FlowEdge{index, 0}, by_source);
             jump != jumps.end() && jump->from == index; ++jump)
          visit(jump->to);
      }
    }
    for (const uint32_t from : at->second) {
      if (returns_.size() >= kMaxVisits * size()) return;
      returns_.push_back({from, call.from});
    }
  }
}

}  // namespace aiflame
