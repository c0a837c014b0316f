// SPDX-License-Identifier: MIT
// Keeps stacks whose frames are not all named yet, and their counts, until the names are known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libcommon/base/program.h"

namespace aiflame::collapse {

class LaterStacks {
 public:
  // A frame is a number of the texts, or one that stands for a text that is not known yet.
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

  // `items`: the root, then the frames, leaf first. Returns the number of the stack, from 0.
  uint32_t add(const std::vector<uint32_t>& items) {
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(items_.size());
    return static_cast<uint32_t>(ends_.size() - 1);
  }
  void count(uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
    counts_.push_back({count, time.value_or(0), stack, time.has_value()});
  }
  // Whether it is time to give(). The limit is high, so that the caller seldom waits for the names;
  // this many take less than two megabytes.
  bool is_full() const { return items_.size() + ends_.size() + counts_.size() >= kMost; }

  // Hands over all stacks and counts, and forgets them. name(frame) replaces a later frame by the
  // number of its text, add(items) returns the number of a stack, count(stack, count, time) counts.
  // Returns the numbers of the stacks.
  template <typename Name, typename Add, typename Count>
  std::vector<uint32_t> give(const Name& name, const Add& add, const Count& count) {
    std::vector<uint32_t> stacks, items;
    size_t begin = 0;
    for (const size_t end : ends_) {
      items.assign(items_.begin() + static_cast<ptrdiff_t>(begin),
                   items_.begin() + static_cast<ptrdiff_t>(end));
      for (uint32_t& item : items) name(item);
      stacks.push_back(add(items));
      begin = end;
    }
    for (const Counted& each : counts_)
      count(stacks[each.stack], each.count,
            each.has_time ? std::optional(each.time) : std::nullopt);
    items_.clear();
    ends_.clear();
    counts_.clear();
    return stacks;
  }

 private:
  static constexpr uint32_t kLater = uint32_t{1} << 31;
  static constexpr size_t kMost = size_t{1} << 16;
  struct Counted {
    uint64_t count, time;
    uint32_t stack;
    bool has_time;
  };
  std::vector<uint32_t> items_;
  std::vector<size_t> ends_;  // of each stack, in items_
  std::vector<Counted> counts_;
};

}  // namespace aiflame::collapse
