// SPDX-License-Identifier: MIT
// Which events of the input are drawn, and the statistics that say so.
#pragma once

#include <string>

#include "libcommon/folded/quantity.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"
#include "tools/stackcollapse-aiflame/fold/launch_samples.h"
#include "tools/stackcollapse-aiflame/fold/statistics.h"
#include "tools/stackcollapse-aiflame/write/time_scale.h"

namespace aiflame::collapse {

// All counts of the inputs.
struct Counted {
  const CpuSamples& cpu;
  const LaunchSamples& launches;
  const DeviceCounts& device;
  const RecordedTotals& totals;
};

struct DrawnEvents {
  bool device = false;                  // the device event statistics.drawn
  const FilteredStacks* cpu = nullptr;  // the CPU samples, or null
  Statistics statistics;
  Quantity quantity;  // what the counts are; unknown where perf script text must not get a line
  TimeScale scale;    // of the device samples; none unless both are drawn

  // Whether both are drawn. Then each has a root of its own.
  bool both() const { return device && cpu != nullptr; }
};

// `event`: --event, or empty: the first device event that has occurred, else the CPU event.
// `with_cpu`: CPU samples beside those of a device, both as time. Throws Error where one of them is
// no time.
DrawnEvents choose_events(const Counted& counted, const std::string& event, bool with_cpu,
                          bool filtering);

}  // namespace aiflame::collapse
