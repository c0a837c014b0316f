// SPDX-License-Identifier: MIT
#include "libcommon/timeline/device_timeline.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// Goes through the begins of the intervals in order, and gives the time between two of them to
// those that last.
class Sweep {
 public:
  explicit Sweep(const std::vector<DeviceInterval>& intervals)
      : intervals_(intervals), order_(intervals.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    // of those that begin at once, the one that ends first is inside of the others
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      const DeviceInterval &one = intervals_[a], &other = intervals_[b];
      return std::tie(one.start, other.end, a) < std::tie(other.start, one.end, b);
    });
  }

  DeviceTimeline run() {
    out_.owned.resize(intervals_.size());
    if (order_.empty()) return std::move(out_);
    out_.from = now_ = intervals_[order_.front()].start;
    out_.to = out_.from;
    for (uint32_t place = 0; place < order_.size(); ++place) {
      const DeviceInterval& next = intervals_[order_[place]];
      out_.to = std::max(out_.to, next.end);
      if (next.end <= next.start) continue;
      advance(next.start, order_[place]);
      lasting_[static_cast<size_t>(next.work_class)].push(place);
    }
    advance(out_.to, DeviceGap::kNone);
    for (uint32_t i = 0; i < intervals_.size(); ++i) {
      out_.classes[static_cast<size_t>(intervals_[i].work_class)] += out_.owned[i];
      if (out_.longest == DeviceGap::kNone || out_.owned[i] > out_.owned[out_.longest])
        out_.longest = i;
    }
    return std::move(out_);
  }

 private:
  // The interval that owns the moment, or kNone.
  uint32_t owner() {
    for (auto& lasting : lasting_) {
      while (!lasting.empty() && intervals_[order_[lasting.top()]].end <= now_) lasting.pop();
      if (!lasting.empty()) return order_[lasting.top()];
    }
    return DeviceGap::kNone;
  }

  void advance(int64_t to, uint32_t next) {
    while (now_ < to) {
      const uint32_t at = owner();
      if (at == DeviceGap::kNone) {
        out_.gaps.push_back({now_, to, next});
        out_.idle += nanoseconds_between(now_, to);
        now_ = to;
        return;
      }
      const int64_t until = std::min(to, intervals_[at].end);
      out_.owned[at] += nanoseconds_between(now_, until);
      now_ = until;
    }
  }

  const std::vector<DeviceInterval>& intervals_;
  std::vector<uint32_t> order_;                          // of the intervals, by their begins
  std::priority_queue<uint32_t> lasting_[kWorkClasses];  // places in order_
  int64_t now_ = 0;
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
  return Sweep(intervals).run();
}

std::string timeline_text(const DeviceTimeline& timeline, const std::string& idle_name) {
  const auto time = [&](WorkClass one) {
    return exact_text(timeline.classes[static_cast<size_t>(one)]);
  };
  return exact_text(timeline.window()) + ": " + time(WorkClass::computation) + " computation, " +
         time(WorkClass::communication) + " exposed communication, " + time(WorkClass::copy) +
         " exposed copies, " + exact_text(timeline.idle) + " " + idle_name;
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
