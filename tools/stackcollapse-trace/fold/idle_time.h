// SPDX-License-Identifier: MIT
// --idle: the gaps of each device under [gpu idle], each part under its cause, on the stack of the
// host. --outside: what the host did before the device's first work and after its last.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "libcommon/timeline/launch_coverage.h"
#include "tools/stackcollapse-trace/fold/host_stacks.h"
#include "tools/stackcollapse-trace/fold/replays.h"
#include "tools/stackcollapse-trace/join/device_work.h"
#include "tools/stackcollapse-trace/join/launches.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// `coverage`: where it does not tell idle time, gaps are under [not recorded], without a cause.
void fold_idle_time(const Trace& trace, const Nesting& nesting, const Launches& launches,
                    const Replays& replays, const DevicesWork& devices,
                    const LaunchCoverage& coverage, HostStacks& host, const TraceSettings& settings,
                    ImportedStacks& stacks);

}  // namespace aiflame::trace
