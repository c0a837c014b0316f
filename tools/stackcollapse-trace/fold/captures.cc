// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/captures.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-trace/join/graph_alignment.h"

namespace aiflame::trace {
namespace {

// How many calls are looked at. A server's captures have some hundred thousand; only in a hostile
// trace do thousands of threads capture at once, all of which would have each other's launches.
constexpr size_t kMostCalls = size_t{1} << 22;

struct Span {
  int64_t begin, end;
  uint32_t process;
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// cudaStreamBeginCapture ... cudaStreamEndCapture of one thread
std::vector<Span> spans_of(const Trace& trace, const std::vector<uint32_t>& calls,
                           const ImportedStacks& stacks) {
  std::vector<Span> out;
  std::vector<const Slice*> begun(trace.threads.size());
  for (const uint32_t number : calls) {
    const Slice& call = trace.slices[number];
    const std::string_view name = stacks.text(call.frame);
    if (has(name, "StreamBeginCapture")) begun[call.thread] = &call;
    if (!has(name, "StreamEndCapture") || begun[call.thread] == nullptr) continue;
    out.push_back({begun[call.thread]->end, call.start, trace.threads.process(call.thread)});
    begun[call.thread] = nullptr;
  }
  return out;
}

}  // namespace

uint32_t copy_name(ImportedStacks& stacks) {
  return stacks.frame("[copy]");
}

void find_captures(const Trace& trace, HostStacks& host, ImportedStacks& stacks,
                   std::vector<Capture>& out) {
  std::vector<uint32_t> calls;
  for (uint32_t i = 0; i < trace.slices.size(); ++i)
    if (trace.slices[i].kind == Kind::runtime) calls.push_back(i);
  std::stable_sort(calls.begin(), calls.end(), [&](uint32_t a, uint32_t b) {
    return trace.slices[a].start < trace.slices[b].start;
  });
  const uint32_t copy = copy_name(stacks);
  size_t looked_at = 0;
  for (const Span& span : spans_of(trace, calls, stacks)) {
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
      const bool copies = has(name, "Memcpy") || has(name, "Memset");
      if (call.graph || (!copies && !has(name, "Launch"))) continue;
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
