// SPDX-License-Identifier: MIT
// When the recording was enabled: a slice is written late, so its time has to be looked up. Pure.
#pragma once

#include <cstdint>
#include <deque>

namespace aiflame::record {

class EnabledTimes {
 public:
  explicit EnabledTimes(bool enabled) {
    if (enabled) times_.push_back({0, UINT64_MAX});
  }

  bool is_enabled() const { return !times_.empty() && times_.back().end == UINT64_MAX; }
  void set(bool enabled, uint64_t now) {
    if (enabled == is_enabled()) return;
    if (enabled)
      times_.push_back({now, UINT64_MAX});
    else
      times_.back().end = now;
  }
  // Whether it was enabled at a moment of [start, end). Slices are asked for in order: the times
  // before `start` are forgotten.
  bool has(uint64_t start, uint64_t end) {
    while (!times_.empty() && times_.front().end <= start) times_.pop_front();
    return !times_.empty() && times_.front().begin < end;
  }

 private:
  struct Time {
    uint64_t begin = 0, end = 0;
  };
  std::deque<Time> times_;
};

}  // namespace aiflame::record
