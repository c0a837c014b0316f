// SPDX-License-Identifier: MIT
// How many samples each stack has, with --by-time in each interval.
#pragma once

#include <cstdint>
#include <optional>

#include "libcommon/base/sample_sum.h"
#include "libcommon/folded/time_step.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/fold/counts.h"

namespace aiflame::collapse {

class StackCounts {
 public:
  struct Line {
    uint32_t interval = 0;  // in texts; 0 without --by-time
    uint32_t stack = 0;     // in a StackTable
    bool operator==(const Line&) const = default;
  };

  // `texts` gets the names of the intervals.
  StackCounts(const TimeStep& by_time, TextTable& texts) : by_time_(by_time), texts_(texts) {}

  void add(uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
    add({interval_of(time), stack}, count);
  }
  // Adds what another thread has counted. stack_of(number) is our number of its stack.
  template <typename StackOf>
  void absorb(const StackCounts& part, const StackOf& stack_of) {
    for (uint32_t number = 0; number < part.size(); ++number) {
      const uint64_t samples = part.count(number);
      if (samples == 0) continue;
      const Line line = part.line(number);
      add({by_time_.is_set() ? texts_.number(part.texts_.text(line.interval)) : 0,
           stack_of(line.stack)},
          samples);
    }
  }

  void forget() {
    lines_ = {};
    counts_ = {};
    total_ = 0;
  }

  uint64_t total() const { return total_; }
  // The lines by number, from 0. A number with a count of 0 is no line.
  uint32_t size() const { return counts_.size(); }
  uint64_t count(uint32_t number) const { return counts_[number]; }
  Line line(uint32_t number) const {
    return by_time_.is_set() ? lines_.key(number) : Line{0, number};
  }

 private:
  void add(const Line& line, uint64_t count) {
    add_samples(total_, count);
    counts_.add(by_time_.is_set() ? lines_.number(line) : line.stack, count);
  }
  uint32_t interval_of(std::optional<uint64_t> time) {
    return by_time_.is_set() ? texts_.number(by_time_.name(time)) : 0;
  }

  const TimeStep& by_time_;
  TextTable& texts_;
  NumberedTable<Line> lines_;  // with --by-time; else a line's number is its stack's
  Counts counts_;
  uint64_t total_ = 0;
};

}  // namespace aiflame::collapse
