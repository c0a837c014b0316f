// SPDX-License-Identifier: MIT
// When graphs were captured: cudaStreamBeginCapture ... cudaStreamEndCapture of one thread. What is
// launched meanwhile does not run.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

struct CaptureSpan {
  int64_t begin, end;
  uint32_t process;
};

// The calls of the runtime, by their begin.
std::vector<uint32_t> calls_by_time(const Trace& trace);
// In the order of their ends.
std::vector<CaptureSpan> find_capture_spans(const Trace& trace, const std::vector<uint32_t>& calls,
                                            const ImportedStacks& stacks);

}  // namespace aiflame::trace
