// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/time_base.h"

#include <algorithm>

namespace aiflame::xplane {
namespace {

// 53 days: twice as much is still a number.
constexpr int64_t kLongest = INT64_MAX / 2;

void lose(std::string_view why, ImportedStacks& stacks) {
  stacks.read(0);
  stacks.lose(why, 0);
}

}  // namespace

void TimeBase::add(const Line& line) {
  first_ = first_ ? std::min(*first_, line.timestamp) : line.timestamp;
}

std::optional<int64_t> TimeBase::begin_of(const Line& line, const Event& event) const {
  const uint64_t after =
      static_cast<uint64_t>(line.timestamp) - static_cast<uint64_t>(first_.value_or(0));
  if (after > kLongest / kPicoseconds || event.offset > kLongest || event.offset < -kLongest)
    return std::nullopt;
  return static_cast<int64_t>(after) * kPicoseconds + event.offset;
}

std::optional<Interval> find_interval(const TimeBase& times, const Line& line, const Event& event,
                                      ImportedStacks& stacks) {
  const auto begin = times.begin_of(line, event);
  int64_t end = 0;
  if (event.is_sum) {
    lose("sums of events without their times", stacks);
  } else if (event.duration < 0) {
    lose("negative durations", stacks);
  } else if (!begin || event.duration > kLongest ||
             __builtin_add_overflow(*begin, event.duration, &end)) {
    lose("times that are months after the first", stacks);
  } else {
    return Interval{*begin, end};
  }
  return std::nullopt;
}

}  // namespace aiflame::xplane
