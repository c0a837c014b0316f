// SPDX-License-Identifier: MIT
// The time of one device on one scale (pure): computation, exposed communication, exposed copies,
// and gaps in which it did nothing. They add up to its window, to the nanosecond, however many
// streams worked at once:
//
//   stream 7   [==== gemm ====]          [== add ==]
//   stream 20        [====== ncclAllReduce =======]
//   copies                 [= HtoD =]                     [= DtoH =]
//   computes   |--------------|..........|---------|
//   exposed                   |allreduce-|                |- DtoH -|
//   idle                                            |-----|
//
// Each moment belongs to one interval: of those that last, one that computes; else one that
// communicates; else a copy. Of several of these, to the one that began last: a loop of XLA holds
// its operators, and has only the rest. What an interval does not own was hidden by others.
//
// The window reaches from the first begin to the last end, as in TraceLens' and HTA's breakdowns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/timeline/work_class.h"

namespace aiflame {

// Something that a device did: [start, end), in ns.
struct DeviceInterval {
  int64_t start = 0, end = 0;
  WorkClass work_class = WorkClass::computation;
};

// The difference of two times may be more than an int64_t holds.
inline uint64_t nanoseconds_between(int64_t from, int64_t to) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

// A time in which a device did nothing.
struct DeviceGap {
  static constexpr uint32_t kNone = UINT32_MAX;
  int64_t from = 0, to = 0;
  uint32_t next = kNone;  // the interval that ends it; kNone: one without a duration
};

struct DeviceTimeline {
  int64_t from = 0, to = 0;             // the window
  std::vector<uint64_t> owned;          // ns by interval
  uint64_t classes[kWorkClasses] = {};  // ns by WorkClass: what its intervals own
  uint64_t idle = 0;                    // ns
  std::vector<DeviceGap> gaps;          // in the order of time
  uint32_t longest = DeviceGap::kNone;  // the interval that owns most

  uint64_t window() const { return nanoseconds_between(from, to); }
};

// An interval must not end before it begins. Takes n log n steps.
DeviceTimeline make_timeline(const std::vector<DeviceInterval>& intervals);

// "33.131 us: 29.743 us computation, 0.000 us exposed communication, 0.760 us exposed copies, 2.628
// us idle". `idle_name`: what the rest is called.
std::string timeline_text(const DeviceTimeline& timeline, const std::string& idle_name);

// Whether one of at least ten intervals owns more than half of the window. A duration that is wrong
// hides all that is idle.
bool is_suspicious(const DeviceTimeline& timeline);
// "one event has 99.96 % of the window: 'gemm'". `name`: of the longest.
std::string suspicion_text(const DeviceTimeline& timeline, std::string_view name);

}  // namespace aiflame
