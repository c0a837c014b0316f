// SPDX-License-Identifier: MIT
// Stacks with frames that are not named yet, and what is counted of them: kept until they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/read/perf_data_sink.h"

namespace aiflame::collapse {

class LaterStacks {
 public:
  // A frame is a number of the sink's, or one that will be told later.
  static uint32_t later(uint32_t number) { return kLater | number; }
  static bool is_later(uint32_t frame) { return (frame & kLater) != 0; }
  static uint32_t number(uint32_t frame) { return frame & ~kLater; }
  static bool has_later(const std::vector<uint32_t>& items) {
    return std::any_of(items.begin(), items.end(), is_later);
  }
  static uint32_t checked(uint32_t frame) {
    if (is_later(frame)) throw Error("more than 2147483647 distinct frames");
    return frame;
  }

  // Items as PerfDataSink::stack() takes them. The number of the stack, from 0.
  uint32_t add(const std::vector<uint32_t>& items) {
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(items_.size());
    return static_cast<uint32_t>(ends_.size() - 1);
  }
  void count(uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
    counts_.push_back({count, time.value_or(0), stack, time.has_value()});
  }
  // Who names them is waited for seldom; this many take less than two megabytes.
  bool is_full() const { return items_.size() + ends_.size() + counts_.size() >= kMost; }

  // Gives all to the sink, and forgets it. tell(frame) puts the sink's number in the place of a
  // later one. Returns the sink's numbers of the stacks.
  template <typename Tell>
  std::vector<uint32_t> give(PerfDataSink& sink, const Tell& tell) {
    std::vector<uint32_t> stacks, items;
    size_t begin = 0;
    for (const size_t end : ends_) {
      items.assign(items_.begin() + static_cast<ptrdiff_t>(begin),
                   items_.begin() + static_cast<ptrdiff_t>(end));
      for (uint32_t& item : items) tell(item);
      stacks.push_back(sink.stack(items));
      begin = end;
    }
    for (const Count& each : counts_)
      sink.count(stacks[each.stack], each.count,
                 each.has_time ? std::optional(each.time) : std::nullopt);
    items_.clear();
    ends_.clear();
    counts_.clear();
    return stacks;
  }

 private:
  static constexpr uint32_t kLater = uint32_t{1} << 31;
  static constexpr size_t kMost = size_t{1} << 16;
  struct Count {
    uint64_t count, time;
    uint32_t stack;
    bool has_time;
  };
  std::vector<uint32_t> items_;
  std::vector<size_t> ends_;  // of each stack, in items_
  std::vector<Count> counts_;
};

}  // namespace aiflame::collapse
