// SPDX-License-Identifier: MIT
// Puts the time of a device on stacks: work as it was exposed or hidden, gaps by their causes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/timeline/device_timeline.h"
#include "libcommon/timeline/host_activity.h"

namespace aiflame {

// What the user wants of a timeline.
struct TimelineSettings {
  bool idle = false;     // --idle: gaps, too, and each moment of a device once
  bool outside = false;  // --outside: the host's time before and after
  bool exposed = false;  // --exposed: communication and copies by what covered them

  bool needs_timeline() const { return idle || exposed; }
  // Throws UsageError.
  void check() const;
};

// Declares the three options.
class Options;
void add_timeline_options(Options& options, TimelineSettings& settings);

// A piece of work: its duration, and what it owns of that.
struct WorkTime {
  uint64_t duration = 0, owned = 0;  // ns
  WorkClass work_class = WorkClass::computation;
};
// Reads it, and calls add() for each part that is drawn. `mark`: a frame, or empty.
void add_work(
    const WorkTime& work, const TimelineSettings& settings, ImportedStacks& stacks,
    const std::function<void(std::string_view mark, uint64_t time, uint64_t records)>& add);

// What may be spent on the stacks of gaps: some ten seconds. A trace of eight devices and millions
// of calls takes less; only in a hostile one do a thousand devices wait beside each of them.
class GapBudget {
 public:
  // `place`: the input's name, for the error; or empty.
  explicit GapBudget(std::string place = "") : place_(std::move(place)) {}
  // For a stack of some frames. Throws Error when all is spent.
  void spend(size_t frames);

 private:
  std::string place_;
  size_t left_ = size_t{1} << 31;
};

// A thread of the host, and the call on it that launched something.
struct HostLaunch {
  uint64_t thread = 0, main = 0;
  std::optional<int64_t> returned;  // nothing: there is no call
  uint32_t stack = 0;
  int64_t called = 0;  // when the call began
};

// What is asked about a device. `launch_of`: of an interval that ends a gap. `user`: who uses the
// device, where that is not known. `roots_at`: the stack below all of a
// time; a thread was to blame for what it did at `host_time`.
struct DeviceGaps {
  const DeviceTimeline& timeline;
  GapBudget& budget;       // of all devices
  bool tells_idle = true;  // else gaps are [not recorded]
  HostLaunch user;
  std::function<HostLaunch(uint32_t interval)> launch_of;
  std::function<uint32_t(int64_t time, uint64_t thread, int64_t host_time)> roots_at;
};
void add_gaps(const DeviceGaps& device, const TimelineSettings& settings, const HostActivity& host,
              ImportedStacks& stacks);

}  // namespace aiflame
