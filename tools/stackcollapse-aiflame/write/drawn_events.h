// SPDX-License-Identifier: MIT
// Which events of the input are drawn, and the statistics that say so.
#pragma once

#include <string>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"
#include "tools/stackcollapse-aiflame/fold/device_samplers.h"
#include "tools/stackcollapse-aiflame/fold/launch_samples.h"
#include "tools/stackcollapse-aiflame/fold/statistics.h"
#include "tools/stackcollapse-aiflame/write/time_scale.h"

namespace aiflame::collapse {

// All counts of the inputs.
struct Counted {
  const CpuSamples& cpu;
  const LaunchSamples& launches;
  const DeviceCounts& device;
  const DeviceSamplers& samplers;
  const RecordedTotals& totals;
};

struct DrawnEvents {
  bool device = false;                  // the device event statistics.drawn
  const FilteredStacks* cpu = nullptr;  // the CPU samples, or null
  Statistics statistics;
  Quantity quantity;  // what the counts are; unknown where perf script text must not get a line
  // Of the device samples, by sampler. Empty where counts stay as they are.
  std::vector<TimeScale> scales;
  uint64_t of_device = 0;  // the sum of the device counts, as they are drawn

  // Whether both are drawn. Then each has a root of its own.
  bool both() const { return device && cpu != nullptr; }
};

// `event`: --event, or empty: the first device event that has occurred, else the CPU event.
// `with_cpu`: CPU samples beside those of a device, both as time. Throws Error where one of them is
// no time, and where `event` has no samples, unless it `may_be_missing`: that is a warning.
DrawnEvents choose_events(const Counted& counted, const std::string& event, bool may_be_missing,
                          bool with_cpu, bool filtering);

}  // namespace aiflame::collapse
