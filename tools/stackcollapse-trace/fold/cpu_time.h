// SPDX-License-Identifier: MIT
// --cpu: the time that operators took on the CPU, each without those that it called.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

void fold_cpu_time(const Trace& trace, HostStacks& host, const TraceSettings& settings,
                   ImportedStacks& stacks);

}  // namespace aiflame::trace
