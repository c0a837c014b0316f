// SPDX-License-Identifier: MIT
// The number of a segment (see StackTrie) by its hash.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/growing_array.h"

namespace aiflame {

class SegmentTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  SegmentTable() { slots_.assign(kLeast, {0, kNone}); }

  // The segment that was added with this hash, or kNone.
  uint32_t find(uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask; slots_[i].segment != kNone; i = (i + 1) & mask)
      if (slots_[i].hash == hash) return slots_[i].segment;
    return kNone;
  }
  // `hash` is not there yet.
  void add(uint64_t hash, uint32_t segment) {
    // at most three quarters full
    if (++used_ * 4 > slots_.size() * 3) grow();
    put({hash, segment});
  }
  // A table of many megabytes is mostly waited for: what find() and add() will look at.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  // Calls body(hash, segment) for each, in any order.
  template <typename Body>
  void each(Body body) const {
    for (const Slot& slot : slots_)
      if (slot.segment != kNone) body(slot.hash, slot.segment);
  }

 private:
  struct Slot {
    uint64_t hash;
    uint32_t segment;
  };
  static constexpr size_t kLeast = 1024;

  void put(const Slot& slot) {
    const size_t mask = slots_.size() - 1;
    size_t i = slot.hash & mask;
    while (slots_[i].segment != kNone) i = (i + 1) & mask;
    slots_[i] = slot;
  }
  void grow() {
    GrowingArray<Slot> old;
    old.swap(slots_);
    slots_.assign(2 * old.size(), {0, kNone});
    // what stood at one place goes to two places as far apart as the table was long: in order both
    for (const Slot& slot : old)
      if (slot.segment != kNone) put(slot);
  }

  GrowingArray<Slot> slots_;  // open addressing
  size_t used_ = 0;
};

}  // namespace aiflame
