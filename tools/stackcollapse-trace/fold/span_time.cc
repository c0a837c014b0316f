// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/span_time.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "tools/stackcollapse-trace/fold/root_frames.h"
#include "tools/stackcollapse-trace/fold/server_frames.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/join/own_times.h"

namespace aiflame::trace {
namespace {

// Makes the spans that are drawn the slices of the trace. Those that are roots stay where they are.
void take_drawn_spans(Trace& trace) {
  trace.slices = {};
  if (std::all_of(trace.spans.begin(), trace.spans.end(),
                  [](const Slice& span) { return span.drawn && !span.root; })) {
    trace.slices.swap(trace.spans);
    return;
  }
  for (const Slice& span : trace.spans)
    if (span.drawn) trace.slices.push_back(span);
}

}  // namespace

bool has_drawn_spans(const Trace& trace) {
  return std::any_of(trace.spans.begin(), trace.spans.end(),
                     [](const Slice& span) { return span.drawn; });
}

void fold_span_time(Trace& trace, const TraceSettings& settings, ImportedStacks& stacks) {
  take_drawn_spans(trace);
  const Nesting nesting(trace);
  RootFrames roots(trace, settings, stacks);
  std::optional<ServerFrames> server;
  if (ServerFrames::fits(trace)) server.emplace(trace, stacks);
  const std::vector<int64_t> own = own_times(trace);
  std::vector<uint32_t> nested;
  for (uint32_t i = 0; i < own.size(); ++i) {
    const Slice& slice = trace.slices[i];
    if (slice.unmeasured) {
      stacks.read(0);
      stacks.lose(why_unmeasured(slice.negative), 0);
    }
    if (own[i] <= 0) continue;
    const auto time = static_cast<uint64_t>(own[i]);
    stacks.read(time);
    uint32_t stack = roots.host_stack(slice.start, slice.thread, {});
    stack = roots.with_spans(roots.with_process(stack, slice.thread), slice.start);
    if (server) {
      server->add(stack, i, time);
      continue;
    }
    nested.clear();
    nesting.stack_at(i, stack_time(trace, slice), nested);
    bool truncated = false;
    for (const uint32_t one : nested) {
      if (trace.slices[one].truncated) {
        truncated = true;
        stack = stacks.child(stack, kTruncated);
      }
      stack = stacks.child(stack, trace.slices[one].frame);
    }
    if (truncated) stacks.part(kDeeper, time);
    stacks.add(stack, time);
  }
}

}  // namespace aiflame::trace
