// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/recorded_launches.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace aiflame::trace {
namespace {

// The call of the program itself: the runtime's, which calls the driver's.
uint32_t outermost_call(const Trace& trace, uint32_t slice) {
  while (trace.slices[slice].parent != kNoNumber &&
         trace.slices[trace.slices[slice].parent].kind == Kind::runtime)
    slice = trace.slices[slice].parent;
  return slice;
}

// A piece of work, by its call.
struct Recorded {
  uint32_t call, graph;
  bool operator<(const Recorded& other) const { return call < other.call; }
};

std::vector<Recorded> records_by_call(const Trace& trace, const Launches& launches) {
  std::vector<Recorded> out;
  out.reserve(trace.work.size());
  for (const Work& work : trace.work) {
    const Launch launch = launches.find(work);
    if (launch.slice != kNoNumber && trace.slices[launch.slice].kind == Kind::runtime)
      out.push_back({outermost_call(trace, launch.slice), work.graph});
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

LaunchCoverage count_recorded_launches(const Trace& trace, const Launches& launches,
                                       const ImportedStacks& stacks) {
  const std::vector<Recorded> recorded = records_by_call(trace, launches);
  std::vector<LaunchRecord> out;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    const Slice& call = trace.slices[i];
    if (call.kind != Kind::runtime || outermost_call(trace, i) != i) continue;
    const std::optional<LaunchCallKind> kind = launch_kind(stacks.text(call.frame));
    if (!kind) continue;
    LaunchRecord& one = out.emplace_back();
    one.process = trace.threads.process(call.thread);
    one.time = call.start;
    one.kind = *kind;
    const auto [begin, end] = std::equal_range(recorded.begin(), recorded.end(), Recorded{i, 0});
    one.kernels = static_cast<uint64_t>(end - begin);
    for (auto at = begin; at != end; ++at) one.graph = std::max<uint64_t>(one.graph, at->graph);
  }
  return coverage_of(std::move(out));
}

}  // namespace aiflame::trace
