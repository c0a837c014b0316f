// SPDX-License-Identifier: MIT
// Intervals of the same length, from time zero on, named by their start (pure): of 10 ms,
// 5012.017 lies in `5012.010`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aiflame::collapse {

class TimeStep {
 public:
  TimeStep() = default;  // none
  // Milliseconds, "10" or "0.25". Throws UsageError.
  explicit TimeStep(std::string_view milliseconds);

  bool is_set() const { return length_ != 0; }
  // Seconds: milliseconds, and more decimals where the length has them. `[unknown time]` where the
  // time, in nanoseconds, is not known.
  std::string name(std::optional<uint64_t> time) const;

 private:
  uint64_t length_ = 0;  // nanoseconds
  unsigned decimals_ = 3;
};

}  // namespace aiflame::collapse
