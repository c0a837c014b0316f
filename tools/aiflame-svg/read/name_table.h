// SPDX-License-Identifier: MIT
// Each distinct text once, under a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/text/text_hash.h"

namespace aiflame::svg {

class NameTable {
 public:
  NameTable();

  // The number of `name`, a new one when it was not seen yet. Numbers count from 0. `hash` is that
  // of text_hash.h, with hash_seed(): names are told apart by it alone.
  uint32_t intern(std::string_view name, uint64_t hash) {
    const uint64_t mask = slots_.size() - 1;
    uint64_t slot = hash & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask)
      if ((slots_[slot] ^ hash) <= mask) return static_cast<uint32_t>(slots_[slot] & mask) - 1;
    return add(name, hash, slot);
  }
  // Memory is slow: what intern() will look at.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  uint32_t intern(std::string_view name) { return intern(name, hash_text(name, hash_seed())); }
  // Valid until the next intern().
  std::string_view operator[](uint32_t id) const {
    const Entry& entry = entries_[id];
    return {text_.data() + entry.begin, entry.size};
  }
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

  // Numbers the names anew: order[i] is the one that becomes i. No more can be interned then.
  void arrange(const std::vector<uint32_t>& order);

 private:
  struct Entry {
    uint64_t begin;
    uint32_t size;
  };
  uint32_t add(std::string_view name, uint64_t hash, uint64_t slot);
  void put(uint64_t hash, uint32_t id, uint64_t slot);
  void grow();

  std::vector<char> text_;
  std::vector<Entry> entries_;
  // Open addressing. Of 2^k slots one in use has the hash in which the lowest k bits, which the
  // place tells, are 1 + the name's number: half the size of both, as the table is looked up in
  // once for almost every frame, and the less of the processor's cache it takes, the better.
  std::vector<uint64_t> slots_;
};

}  // namespace aiflame::svg
