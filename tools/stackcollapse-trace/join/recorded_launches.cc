// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/recorded_launches.h"

#include <algorithm>
#include <map>
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

// What is recorded of each call.
std::map<uint32_t, LaunchRecord> records_by_call(const Trace& trace, const Launches& launches) {
  std::map<uint32_t, LaunchRecord> out;
  for (const Work& work : trace.work) {
    const Launch launch = launches.find(work);
    if (launch.slice == kNoNumber || trace.slices[launch.slice].kind != Kind::runtime) continue;
    LaunchRecord& one = out[outermost_call(trace, launch.slice)];
    ++one.kernels;
    one.graph = std::max<uint64_t>(one.graph, work.graph);
  }
  return out;
}

}  // namespace

LaunchCoverage count_recorded_launches(const Trace& trace, const Launches& launches,
                                       const ImportedStacks& stacks) {
  const std::map<uint32_t, LaunchRecord> recorded = records_by_call(trace, launches);
  std::vector<LaunchRecord> out;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    const Slice& call = trace.slices[i];
    if (call.kind != Kind::runtime || outermost_call(trace, i) != i) continue;
    const std::optional<LaunchCallKind> kind = launch_kind(stacks.text(call.frame));
    if (!kind) continue;
    const auto found = recorded.find(i);
    LaunchRecord& one = out.emplace_back();
    if (found != recorded.end()) one = found->second;
    one.process = trace.threads.process(call.thread);
    one.time = call.start;
    one.kind = *kind;
  }
  return coverage_of(std::move(out));
}

}  // namespace aiflame::trace
