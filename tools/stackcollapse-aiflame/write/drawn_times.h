// SPDX-License-Identifier: MIT
// What --idle and --exposed draw of the time of devices: of each line of gpu-time the part that it
// owns and the part that other work covered, and idle time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libcommon/timeline/timeline_stacks.h"
#include "libcommon/timeline/work_class.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"

namespace aiflame::collapse {

struct DrawnTimes {
  struct Parts {
    uint64_t shown = 0;      // on the line itself
    uint64_t hidden = 0;     // under [hidden]
    bool is_marked = false;  // `shown` stands under [exposed]
    bool is_gap = false;     // a time in which the device did nothing
    bool is_idle = true;     // of a gap: false where too few launches are recorded to call it idle
  };
  std::vector<Parts> parts;   // by the numbers of lines
  uint64_t sum = 0;           // of all that is drawn
  uint64_t ran_beside = 0;    // with --idle: the time of work that ran beside other work
  uint64_t without_work = 0;  // hidden time of which no work is there
};

// `class_of(code)`: what lines with that code do. `tells_idle(sampler)`: whether
// the gaps of its device are idle time.
DrawnTimes draw_times(const DeviceCounts& counts, const TimelineSettings& settings,
                      const std::function<WorkClass(uint32_t code)>& class_of,
                      const std::function<bool(uint32_t sampler)>& tells_idle);

}  // namespace aiflame::collapse
