// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/captures.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/program.h"
#include "libcommon/text/text_match.h"
#include "tools/stackcollapse-trace/join/capture_spans.h"
#include "tools/stackcollapse-trace/join/graph_alignment.h"

namespace aiflame::trace {
namespace {

// How many calls are looked at. A server's captures have some hundred thousand; only in a hostile
// trace do thousands of threads capture at once, all of which would have each other's launches.
constexpr size_t kMostCalls = size_t{1} << 22;

}  // namespace

uint32_t copy_name(ImportedStacks& stacks) {
  return stacks.frame("[copy]");
}

void find_captures(const Trace& trace, HostStacks& host, ImportedStacks& stacks,
                   std::vector<Capture>& out) {
  const std::vector<uint32_t> calls = calls_by_time(trace);
  const uint32_t copy = copy_name(stacks);
  size_t looked_at = 0;
  for (const CaptureSpan& span : find_capture_spans(trace, calls, stacks)) {
    Capture capture;
    const auto first = std::partition_point(calls.begin(), calls.end(), [&](uint32_t number) {
      return trace.slices[number].start < span.begin;
    });
    for (auto at = first; at != calls.end() && trace.slices[*at].start <= span.end; ++at) {
      if (++looked_at > kMostCalls) {
        warn("%s: captures that overlap: some are left out", trace.path.c_str());
        return;
      }
      const Slice& call = trace.slices[*at];
      if (trace.threads.process(call.thread) != span.process) continue;
      const std::string_view name = stacks.text(call.frame);
      const bool copies = contains(name, "Memcpy") || contains(name, "Memset");
      if (call.graph || (!copies && !contains(name, "Launch"))) continue;
      // a call of the runtime has one of the driver within
      if (call.parent != kNoNumber && trace.slices[call.parent].kind == Kind::runtime) continue;
      capture.names.push_back(copies                   ? copy
                              : call.sequence == kNoId ? kNoName
                                                       : static_cast<uint32_t>(call.sequence));
      host.set(*at, call.start);
      capture.stacks.push_back(host.append_to(ImportedStacks::kEmpty));
    }
    out.push_back(std::move(capture));
  }
}

}  // namespace aiflame::trace
