// SPDX-License-Identifier: MIT
// Device samples as time, so that they can be drawn beside CPU time (pure).
#pragma once

#include <cstdint>

namespace aiflame::collapse {

class TimeScale {
 public:
  TimeScale() = default;  // none: counts stay as they are
  // Each sample stands for `period` nanoseconds.
  static TimeScale of_period(uint64_t period) { return {period, 1}; }
  // `samples` samples, not 0, stand for `busy` nanoseconds together.
  static TimeScale of_busy(uint64_t busy, uint64_t samples) { return {busy, samples}; }

  bool is_none() const { return nanoseconds_ == samples_; }
  // The time of so many samples, rounded down. The times of parts are those of sums: with
  // of(a + b) - of(a) for the second part nothing is lost. Throws Error where it is too long.
  uint64_t of(uint64_t samples) const;
  // Of one sample, for messages.
  double nanoseconds() const {
    return static_cast<double>(nanoseconds_) / static_cast<double>(samples_);
  }

 private:
  TimeScale(uint64_t nanoseconds, uint64_t samples)
      : nanoseconds_(nanoseconds), samples_(samples) {}

  uint64_t nanoseconds_ = 1, samples_ = 1;
};

}  // namespace aiflame::collapse
