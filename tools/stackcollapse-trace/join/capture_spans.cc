// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/capture_spans.h"

#include <algorithm>
#include <string_view>

#include "libcommon/text/text_match.h"

namespace aiflame::trace {

std::vector<uint32_t> calls_by_time(const Trace& trace) {
  std::vector<uint32_t> calls;
  for (uint32_t i = 0; i < trace.slices.size(); ++i)
    if (trace.slices[i].kind == Kind::runtime) calls.push_back(i);
  std::stable_sort(calls.begin(), calls.end(), [&](uint32_t a, uint32_t b) {
    return trace.slices[a].start < trace.slices[b].start;
  });
  return calls;
}

std::vector<CaptureSpan> find_capture_spans(const Trace& trace, const std::vector<uint32_t>& calls,
                                            const ImportedStacks& stacks) {
  std::vector<CaptureSpan> out;
  std::vector<const Slice*> begun(trace.threads.size());
  for (const uint32_t number : calls) {
    const Slice& call = trace.slices[number];
    const std::string_view name = stacks.text(call.frame);
    if (contains(name, "StreamBeginCapture")) begun[call.thread] = &call;
    if (!contains(name, "StreamEndCapture") || begun[call.thread] == nullptr) continue;
    out.push_back({begun[call.thread]->end, call.start, trace.threads.process(call.thread)});
    begun[call.thread] = nullptr;
  }
  return out;
}

}  // namespace aiflame::trace
