// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/cpu_time.h"

#include <algorithm>

#include "tools/stackcollapse-trace/fold/root_frames.h"
#include "tools/stackcollapse-trace/join/own_times.h"

namespace aiflame::trace {
namespace {

// Whether a slice is an operator, or something that an operator did. Parents come before what
// stands on them.
std::vector<bool> find_operators(const Trace& trace) {
  // by slice: when the operator ends that it is in
  std::vector<int64_t> ends(trace.slices.size(), INT64_MIN);
  std::vector<bool> out(trace.slices.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Slice& slice = trace.slices[i];
    if (slice.parent != kNoNumber) ends[i] = ends[slice.parent];
    // profiler::_record_function_enter_new is an operator that begins a range, and ends before it
    if (slice.kind == Kind::range && slice.end > ends[i]) ends[i] = INT64_MIN;
    if (slice.kind == Kind::op) ends[i] = std::max(ends[i], slice.end);
    out[i] = slice.start < ends[i] || slice.kind == Kind::op;
  }
  return out;
}

}  // namespace

void fold_cpu_time(const Trace& trace, HostStacks& host, const TraceSettings& settings,
                   ImportedStacks& stacks) {
  const std::vector<bool> operators = find_operators(trace);
  const std::vector<int64_t> own = own_times(trace);
  RootFrames roots(trace, settings, stacks);
  for (uint32_t i = 0; i < own.size(); ++i) {
    const Slice& slice = trace.slices[i];
    if (operators[i] && slice.unmeasured) {
      stacks.read(0);
      stacks.lose(why_unmeasured(slice.negative), 0);
    }
    if (!operators[i] || own[i] <= 0) continue;
    const uint64_t time = static_cast<uint64_t>(own[i]);
    stacks.read(time);
    host.set(i, stack_time(trace, slice));
    if (host.is_truncated()) stacks.part(kDeeper, time);
    uint32_t stack = roots.host_stack(slice.start, slice.thread, host.root_ranges());
    stack = roots.with_spans(stack, slice.start);
    stack = host.append_to(roots.with_process(stack, slice.thread));
    stacks.add(stack, time);
  }
}

}  // namespace aiflame::trace
