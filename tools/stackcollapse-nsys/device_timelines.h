// SPDX-License-Identifier: MIT
// The timeline of each device of an export, and how much of what was launched is in it.
//
// Processes number the devices that they may see, so a device is one of a process. Ranks are never
// merged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/timeline/device_timeline.h"
#include "libcommon/timeline/launch_coverage.h"
#include "libcommon/timeline/timeline_stacks.h"
#include "tools/stackcollapse-nsys/device_work.h"
#include "tools/stackcollapse-nsys/launches.h"

namespace aiflame::nsys {

class DeviceTimelines {
 public:
  struct Device {
    std::optional<int64_t> process, number;
    std::vector<uint32_t> rows;  // the timeline's intervals
    DeviceTimeline timeline;
  };

  // Throws Error for more devices than a machine has.
  DeviceTimelines(const std::vector<DeviceRow>& rows, const Launches& launches,
                  const ImportedStacks& stacks);

  const std::vector<Device>& devices() const { return devices_; }
  const LaunchCoverage& coverage() const { return coverage_; }
  // The coverage stands before any idle figure that it could make wrong.
  void say_times(const std::string& path) const;
  // Who uses a device: the main thread of its process.
  HostLaunch user_of(const Device& device) const;
  HostLaunch launch_of(const Device& device, uint32_t interval) const;

 private:
  LaunchCoverage count_launches() const;

  const std::vector<DeviceRow>& rows_;
  const Launches& launches_;
  const ImportedStacks& stacks_;
  std::vector<Device> devices_;
  LaunchCoverage coverage_;
};

}  // namespace aiflame::nsys
