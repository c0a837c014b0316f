// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/cpu_time.h"

#include <algorithm>

#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/fold/root_frames.h"

namespace aiflame::trace {
namespace {

// Whether a slice is an operator, or something that an operator did. Parents come before what
// stands on them.
std::vector<bool> find_operators(const Trace& trace) {
  std::vector<bool> out(trace.slices.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Slice& slice = trace.slices[i];
    out[i] = slice.kind == Kind::op || (slice.parent != kNoNumber && out[slice.parent]);
  }
  return out;
}

}  // namespace

void fold_cpu_time(const Trace& trace, const Nesting& nesting, const TraceSettings& settings,
                   ImportedStacks& stacks) {
  const std::vector<bool> operators = find_operators(trace);
  std::vector<int64_t> own(trace.slices.size());
  std::vector<int64_t> ends(trace.slices.size());  // never after the parent's end
  for (uint32_t i = 0; i < own.size(); ++i) {
    const Slice& slice = trace.slices[i];
    ends[i] = slice.parent == kNoNumber ? slice.end : std::min(slice.end, ends[slice.parent]);
    own[i] = std::max<int64_t>(0, ends[i] - slice.start);
    if (slice.parent != kNoNumber) own[slice.parent] -= own[i];
  }
  HostStacks host(trace, nesting, settings, stacks);
  RootFrames roots(trace, settings, stacks);
  for (uint32_t i = 0; i < own.size(); ++i) {
    if (!operators[i] || own[i] <= 0) continue;
    const Slice& slice = trace.slices[i];
    const uint64_t time = static_cast<uint64_t>(own[i]);
    stacks.read(time);
    host.set(i, slice.start);
    uint32_t stack = roots.stack(slice.start, RootFrames::kNoTrack, host.root_ranges());
    stack = host.append_to(roots.with_process(stack, slice.thread));
    stacks.add(stack, time);
  }
}

}  // namespace aiflame::trace
