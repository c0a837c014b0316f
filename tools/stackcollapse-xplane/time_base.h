// SPDX-License-Identifier: MIT
// Times of a file: picoseconds since its first line began. Lines have their own beginnings, in
// nanoseconds, which may be those since 1970: a number of picoseconds cannot hold that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/xspace.h"

namespace aiflame::xplane {

inline constexpr int64_t kPicoseconds = 1000;  // in a nanosecond

class TimeBase {
 public:
  void add(const Line& line);
  // Nothing for a time that is months after the first one.
  std::optional<int64_t> begin_of(const Line& line, const Event& event) const;

 private:
  std::optional<int64_t> first_;  // ns
};

// An event with a time. Nothing for one without, which is lost by name.
struct Interval {
  int64_t begin = 0, end = 0;  // ps
};
std::optional<Interval> find_interval(const TimeBase& times, const Line& line, const Event& event,
                                      ImportedStacks& stacks);

// Whole nanoseconds of picoseconds. What is left of one is added to the next, so that their sum is
// exact.
class Nanoseconds {
 public:
  uint64_t of(uint64_t picoseconds) {
    const uint64_t rest = picoseconds % kPicoseconds + rest_;
    rest_ = rest % kPicoseconds;
    return picoseconds / kPicoseconds + rest / kPicoseconds;
  }

 private:
  uint64_t rest_ = 0;
};

}  // namespace aiflame::xplane
