// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/graph_works.h"

#include <algorithm>
#include <tuple>

namespace aiflame::trace {
namespace {

// What began at once stands in the order of the file.
void sort_by_start(const Trace& trace, GraphWorks& groups) {
  for (auto& [group, works] : groups)
    std::sort(works.begin(), works.end(), [&](size_t a, size_t b) {
      return std::tie(trace.work[a].start, a) < std::tie(trace.work[b].start, b);
    });
}

}  // namespace

GraphWorks works_of_graphs(const Trace& trace, const Launches& launches) {
  GraphWorks out;
  // most traces have no graphs, and then no launch has to be found
  if (std::none_of(trace.slices.begin(), trace.slices.end(),
                   [](const Slice& slice) { return slice.graph; }))
    return out;
  for (size_t i = 0; i < trace.work.size(); ++i) {
    const Launch launch = launches.find(trace.work[i]);
    if (launch.slice != kNoNumber && trace.slices[launch.slice].graph)
      out[launch.slice].push_back(i);
  }
  sort_by_start(trace, out);
  return out;
}

GraphWorks regrouped(const Trace& trace, const GraphWorks& works,
                     const std::function<uint32_t(uint32_t call)>& group_of) {
  GraphWorks out;
  for (const auto& [call, of_call] : works)
    if (const uint32_t group = group_of(call); group != kNoNumber)
      out[group].insert(out[group].end(), of_call.begin(), of_call.end());
  sort_by_start(trace, out);
  return out;
}

}  // namespace aiflame::trace
