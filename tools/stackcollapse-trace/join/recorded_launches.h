// SPDX-License-Identifier: MIT
// How many of the kernels that a trace launches are in it: see
// libcommon/timeline/launch_coverage.h.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "libcommon/timeline/launch_coverage.h"
#include "tools/stackcollapse-trace/join/launches.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

LaunchCoverage count_recorded_launches(const Trace& trace, const Launches& launches,
                                       const ImportedStacks& stacks);

}  // namespace aiflame::trace
