// SPDX-License-Identifier: MIT
// The timeline of each device of a process, and how much of what was launched is recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/timeline/device_timeline.h"
#include "libcommon/timeline/launch_coverage.h"
#include "libcommon/timeline/timeline_stacks.h"
#include "tools/stackcollapse-rocprof/launches.h"
#include "tools/stackcollapse-rocprof/process_trace.h"

namespace aiflame::rocprof {

class DeviceTimelines {
 public:
  struct Device {
    uint32_t number = kNoText;  // its name, a text of the process
    std::vector<const DeviceWork*> works;
    std::vector<WorkClass> classes;
    DeviceTimeline timeline;  // of the works
  };
  using NameOf = std::function<std::string_view(const DeviceWork&)>;

  // Throws Error for more devices than a machine has.
  DeviceTimelines(const ProcessTrace& process, const std::vector<const DeviceWork*>& works,
                  const Launches& launches, const NameOf& name_of);

  const std::vector<Device>& devices() const { return devices_; }
  const LaunchCoverage& coverage() const { return coverage_; }
  // The coverage stands before any idle figure that it could make wrong. `lead`: before each line.
  void say_times(const std::string& lead) const;
  // The thread that begins the process: its id is the lowest.
  HostLaunch user() const;
  HostLaunch launch_of(const Device& device, uint32_t interval) const;

 private:
  LaunchCoverage count_launches(const std::vector<const DeviceWork*>& works) const;

  const ProcessTrace& process_;
  const Launches& launches_;
  NameOf name_of_;
  std::vector<Device> devices_;
  LaunchCoverage coverage_;
  uint64_t main_ = 0;  // a thread
};

}  // namespace aiflame::rocprof
