// SPDX-License-Identifier: MIT
#include "libcommon/timeline/device_timeline.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "libcommon/base/program.h"
#include "libcommon/timeline/timeline_sweep.h"

namespace aiflame {
namespace {

// Makes a timeline of the moments that a sweep gives away.
class Intervals {
 public:
  explicit Intervals(const std::vector<DeviceInterval>& intervals)
      : intervals_(intervals), order_(intervals.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    // of those that begin at once, the one that ends first is inside of the others
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      const DeviceInterval &one = intervals_[a], &other = intervals_[b];
      return std::tie(one.start, other.end, a) < std::tie(other.start, one.end, b);
    });
  }

  DeviceTimeline sweep() {
    out_.owned.resize(intervals_.size());
    if (order_.empty()) return std::move(out_);
    out_.from = out_.to = intervals_[order_.front()].start;
    TimelineSweep<Intervals> sweep(*this);
    sweep.begin_window(out_.from);
    for (const uint32_t number : order_) {
      const DeviceInterval& next = intervals_[number];
      out_.to = std::max(out_.to, next.end);
      sweep.begin(number, next.start, next.end, next.work_class);
    }
    sweep.advance(out_.to);
    sweep.end_gap(out_.to, DeviceGap::kNone);  // before one without a duration
    for (uint32_t i = 0; i < intervals_.size(); ++i) {
      out_.classes[static_cast<size_t>(intervals_[i].work_class)] += out_.owned[i];
      if (out_.longest == DeviceGap::kNone || out_.owned[i] > out_.owned[out_.longest])
        out_.longest = i;
    }
    return std::move(out_);
  }

  void own(uint32_t number, int64_t from, int64_t to) {
    out_.owned[number] += nanoseconds_between(from, to);
  }
  void idle(int64_t from, int64_t to, uint32_t next) {
    out_.gaps.push_back({from, to, next});
    out_.idle += nanoseconds_between(from, to);
  }

 private:
  const std::vector<DeviceInterval>& intervals_;
  std::vector<uint32_t> order_;  // of the intervals, by their begins
  DeviceTimeline out_;
};

// "33.131 us", exact
std::string exact_text(uint64_t nanoseconds) {
  return format("%llu.%03llu us", static_cast<unsigned long long>(nanoseconds / 1000),
                static_cast<unsigned long long>(nanoseconds % 1000));
}

// Of fewer intervals, one may well have most of the time.
constexpr size_t kFewIntervals = 10;

}  // namespace

DeviceTimeline make_timeline(const std::vector<DeviceInterval>& intervals) {
  return Intervals(intervals).sweep();
}

std::string timeline_text(const DeviceTimeline& timeline, const std::string& idle_name) {
  const auto time = [&](WorkClass one) {
    return exact_text(timeline.classes[static_cast<size_t>(one)]);
  };
  return exact_text(timeline.window()) + ": " + time(WorkClass::computation) + " computation, " +
         time(WorkClass::communication) + " exposed communication, " + time(WorkClass::copy) +
         " exposed copies, " +
         exact_text(timeline.idle + timeline.classes[static_cast<size_t>(WorkClass::host)]) + " " +
         idle_name;
}

bool is_suspicious(const DeviceTimeline& timeline) {
  return timeline.owned.size() >= kFewIntervals &&
         timeline.owned[timeline.longest] > timeline.window() / 2;
}

std::string suspicion_text(const DeviceTimeline& timeline, std::string_view name) {
  const double share = 100 * static_cast<double>(timeline.owned[timeline.longest]) /
                       static_cast<double>(timeline.window());
  return format("one event has %.2f %% of the window: '", share) + std::string(name) + "'";
}

}  // namespace aiflame
