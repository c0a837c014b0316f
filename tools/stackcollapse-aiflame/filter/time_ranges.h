// SPDX-License-Identifier: MIT
// Ranges of time, in the notation of perf script's --time (pure):
//
//   5012.5,5013  5012.5,  ,5013        from and to, both included; either may be missing
//   "1.5,2 3,4"                        several, in order, separated by blanks
//   50%  10%/2,10%/4  0%-10%,30%-40%   parts of the whole: up to half, the n-th tenth, from-to
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace aiflame::collapse {

class TimeRanges {
 public:
  TimeRanges() = default;  // all times
  // Throws UsageError.
  explicit TimeRanges(std::string_view text);

  bool all() const { return ranges_.empty() && parts_.empty(); }
  // Whether there are parts of the whole. Then call of_whole() before contains().
  bool needs_whole() const { return !parts_.empty(); }
  void of_whole(uint64_t first, uint64_t last);

  // Nanoseconds.
  bool contains(uint64_t time) const;

 private:
  struct Range {
    uint64_t from = 0, to = UINT64_MAX;
  };
  std::vector<Range> ranges_;
  std::vector<std::pair<double, double>> parts_;  // 0 to 1
};

}  // namespace aiflame::collapse
