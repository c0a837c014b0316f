// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/backward.h"

#include <algorithm>
#include <tuple>

namespace aiflame::trace {

Backward::Backward(Trace& trace, const Nesting& nesting) : trace_(trace), nesting_(nesting) {
  const auto& slices = trace.slices;
  for (uint32_t i = 0; i < slices.size(); ++i)
    if (slices[i].kind == Kind::op && slices[i].sequence != kNoId && !slices[i].backward)
      forward_.push_back(i);
  std::sort(forward_.begin(), forward_.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(slices[a].sequence, slices[a].start, a) <
           std::tie(slices[b].sequence, slices[b].start, b);
  });
  trace.forward.sort();
}

uint32_t Backward::forward_of(uint32_t number) const {
  const Slice& slice = trace_.slices[number];
  if (slice.kind != Kind::op) return kNoNumber;
  const uint32_t found = slice.backward && slice.sequence != kNoId ? by_sequence(slice) : kNoNumber;
  return found != kNoNumber ? found : by_flow(slice);
}

uint32_t Backward::by_sequence(const Slice& slice) const {
  const auto& slices = trace_.slices;
  const auto process = [&](const Slice& one) { return trace_.threads.process(one.thread); };
  // the first with this number that began later
  auto at = std::upper_bound(forward_.begin(), forward_.end(), slice,
                             [&](const Slice& wanted, uint32_t other) {
                               return std::tie(wanted.sequence, wanted.start) <
                                      std::tie(slices[other].sequence, slices[other].start);
                             });
  // a file with several processes has few operators of one number
  for (int tries = 0; tries < 64 && at != forward_.begin(); ++tries) {
    --at;
    if (slices[*at].sequence != slice.sequence) break;
    if (process(slices[*at]) == process(slice)) return *at;
  }
  return kNoNumber;
}

// Of an operator at whose beginning an arrow ends.
uint32_t Backward::by_flow(const Slice& slice) const {
  const GrowingArray<FlowEnd>& starts = trace_.forward.starts;
  const GrowingArray<FlowEnd>& ends = trace_.forward.ends;
  auto end = std::lower_bound(
      ends.begin(), ends.end(), slice, [](const FlowEnd& flow, const Slice& wanted) {
        return std::tie(flow.thread, flow.time) < std::tie(wanted.thread, wanted.start);
      });
  if (end == ends.end() || end->thread != slice.thread || end->time > slice.start) return kNoNumber;
  const auto start =
      std::lower_bound(starts.begin(), starts.end(), end->id,
                       [](const FlowEnd& flow, uint64_t wanted) { return flow.id < wanted; });
  if (start == starts.end() || start->id != end->id) return kNoNumber;
  return nesting_.innermost(start->thread, start->time);
}

}  // namespace aiflame::trace
