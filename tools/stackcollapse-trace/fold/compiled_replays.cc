// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/compiled_replays.h"

namespace aiflame::trace {
namespace {

// The innermost call of compiled code that a slice stands on.
uint32_t code_below(const Trace& trace, uint32_t slice) {
  while (slice != kNoNumber && trace.slices[slice].part != CompilerPart::code)
    slice = trace.slices[slice].parent;
  return slice;
}

}  // namespace

CompiledReplays::CompiledReplays(const Trace& trace, const GraphWorks& graphs,
                                 CompiledCalls& calls) {
  // a wrapper may launch several graphs
  const GraphWorks by_code = regrouped(trace, graphs, [&](uint32_t call) {
    const uint32_t code = code_below(trace, call);
    return code != kNoNumber && calls.graph_of(code) != nullptr ? code : kNoNumber;
  });
  if (by_code.empty()) return;
  choices_.resize(trace.work.size());
  for (const auto& [code, works] : by_code) {
    const std::vector<CompiledChoice> found = calls.kernels_of(*calls.graph_of(code), works);
    for (size_t i = 0; i < works.size(); ++i) choices_[works[i]] = found[i];
  }
}

}  // namespace aiflame::trace
