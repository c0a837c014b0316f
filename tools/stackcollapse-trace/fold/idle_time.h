// SPDX-License-Identifier: MIT
// --idle: the time in which a device had nothing to do, on the stack that the main thread had.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/join/launches.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

void fold_idle_time(const Trace& trace, const Nesting& nesting, const Launches& launches,
                    HostStacks& host, const TraceSettings& settings, ImportedStacks& stacks);

}  // namespace aiflame::trace
