// SPDX-License-Identifier: MIT
// Intervals of one length, from time zero on, named by their start (pure). With 10 ms, 5012.017 is
// in the interval `5012.010`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aiflame {

class TimeStep {
 public:
  TimeStep() = default;  // none
  // Milliseconds, "10" or "0.25". Throws UsageError.
  explicit TimeStep(std::string_view milliseconds);

  bool is_set() const { return length_ != 0; }
  // The name of the interval of a time in nanoseconds: seconds with three decimals, or more where
  // the length needs them; `[unknown time]` for an unknown time.
  std::string name(std::optional<uint64_t> time) const;

 private:
  uint64_t length_ = 0;  // nanoseconds
  unsigned decimals_ = 3;
};

}  // namespace aiflame
