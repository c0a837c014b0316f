// SPDX-License-Identifier: MIT
// Numbers by key, in one array: a look-up is one miss of the cache, as a rule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame::collapse {

// Key: plain data with == and hash(), of which all bits are good.
template <typename Key>
class FlatTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t find(const Key& key) const {
    if (slots_.empty()) return kNone;
    const Slot& slot = slots_[place_of(key)];
    return slot.number;
  }

  // Makes room for so many keys in all.
  void reserve(size_t keys) {
    size_t size = std::max<size_t>(slots_.size(), 256);
    while (keys * 4 > size * 3) size *= 2;
    if (size > slots_.size()) resize(size);
  }

  // Sets the number of a key, which is not kNone.
  void set(const Key& key, uint32_t number) {
    reserve(used_ + 1);
    Slot& slot = slots_[place_of(key)];
    if (slot.number == kNone) ++used_;
    slot = {key, number};
  }

 private:
  struct Slot {
    Key key{};
    uint32_t number = kNone;
  };

  // Of the key, or of the free place it would take.
  size_t place_of(const Key& key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = key.hash() & mask;
    while (slots_[at].number != kNone && !(slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }

  void resize(size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kNone) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace aiflame::collapse
