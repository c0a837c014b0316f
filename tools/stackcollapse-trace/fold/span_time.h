// SPDX-License-Identifier: MIT
// The time of spans (keep/spans.h), each without what stands on it: wall-time.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

bool has_drawn_spans(const Trace& trace);

// The trace's slices are the spans from then on.
void fold_span_time(Trace& trace, const TraceSettings& settings, ImportedStacks& stacks);

}  // namespace aiflame::trace
