// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/compiled_replays.h"

#include <algorithm>
#include <map>

namespace aiflame::trace {
namespace {

// The innermost call of compiled code that a slice stands on.
uint32_t code_below(const Trace& trace, uint32_t slice) {
  while (slice != kNoNumber && trace.slices[slice].part != CompilerPart::code)
    slice = trace.slices[slice].parent;
  return slice;
}

}  // namespace

CompiledReplays::CompiledReplays(const Trace& trace, const Launches& launches,
                                 CompiledCalls& calls) {
  // a wrapper may launch several graphs
  std::map<uint32_t, std::vector<size_t>> works_by_code;
  for (size_t i = 0; i < trace.work.size(); ++i) {
    const Launch launch = launches.find(trace.work[i]);
    if (launch.slice == kNoNumber || !trace.slices[launch.slice].graph) continue;
    const uint32_t code = code_below(trace, launch.slice);
    if (code != kNoNumber && calls.graph_of(code) != nullptr) works_by_code[code].push_back(i);
  }
  if (works_by_code.empty()) return;
  choices_.resize(trace.work.size());
  for (auto& [code, works] : works_by_code) {
    std::stable_sort(works.begin(), works.end(),
                     [&](size_t a, size_t b) { return trace.work[a].start < trace.work[b].start; });
    const std::vector<CompiledChoice> found = calls.kernels_of(*calls.graph_of(code), works);
    for (size_t i = 0; i < works.size(); ++i) choices_[works[i]] = found[i];
  }
}

}  // namespace aiflame::trace
