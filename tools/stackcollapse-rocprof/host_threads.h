// SPDX-License-Identifier: MIT
// --idle: what the threads of a process did, by its calls of HIP and HSA and its roctx ranges.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libcommon/timeline/host_activity.h"
#include "tools/stackcollapse-rocprof/launches.h"
#include "tools/stackcollapse-rocprof/process_trace.h"
#include "tools/stackcollapse-rocprof/settings.h"

namespace aiflame::rocprof {

// Hostile times end with time itself.
inline int64_t time_of(uint64_t nanoseconds) {
  return static_cast<int64_t>(std::min(nanoseconds, static_cast<uint64_t>(INT64_MAX)));
}

HostActivity make_host_activity(const ProcessTrace& process, const Settings& settings,
                                const RangeRoots& roots, const Launches& launches,
                                ImportedStacks& stacks);

}  // namespace aiflame::rocprof
