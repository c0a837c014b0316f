// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/root_spans.h"

namespace aiflame::trace {

RootSpans::RootSpans(const Trace& trace, const TraceSettings& settings, ImportedStacks& stacks)
    : wanted_(!settings.root_category.empty()),
      stacks_(stacks),
      spans_(wanted_ ? roots_of(trace) : Trace()),
      nesting_(spans_),
      none_("[no " + settings.root_category + "]") {
  if (ServerFrames::fits(spans_)) server_.emplace(spans_, stacks);
}

Trace RootSpans::roots_of(const Trace& trace) {
  Trace out;
  const uint32_t thread = out.threads.number("", "");
  for (const Slice& span : trace.spans) {
    if (!span.root) continue;
    out.slices.push_back(span);
    out.slices[out.slices.size() - 1].thread = thread;
  }
  return out;
}

uint32_t RootSpans::append_to(uint32_t stack, int64_t time) {
  if (!wanted_) return stack;
  const uint32_t slice = spans_.slices.empty() ? kNoNumber : nesting_.innermost(0, time);
  if (slice == kNoNumber) return stacks_.child(stack, none_);
  if (server_) return stacks_.append(stack, server_->stack(slice));
  nested_.clear();
  nesting_.stack_at(slice, time, nested_);
  for (const uint32_t one : nested_) stack = stacks_.child(stack, spans_.slices[one].frame);
  return stack;
}

}  // namespace aiflame::trace
