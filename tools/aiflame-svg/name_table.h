// SPDX-License-Identifier: MIT
// Each distinct text once, under a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

class NameTable {
 public:
  NameTable();

  // The number of `name`, a new one when it was not seen yet. Numbers count from 0. `hash` is the
  // same for the same name.
  uint32_t intern(std::string_view name, uint32_t hash);
  // Memory is slow: these fetch, each with what the one before fetched, what intern() will look at.
  void fetch_slot(uint32_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void fetch_entry(uint32_t hash) const {
    const uint32_t entry = slots_[hash & (slots_.size() - 1)].entry;
    if (entry != 0) __builtin_prefetch(&entries_[entry - 1]);
  }
  void fetch_text(uint32_t hash) const {
    const uint32_t entry = slots_[hash & (slots_.size() - 1)].entry;
    if (entry != 0) __builtin_prefetch(text_.data() + entries_[entry - 1].begin);
  }
  // Valid until the next intern().
  std::string_view operator[](uint32_t id) const {
    const Entry& entry = entries_[id];
    return {text_.data() + entry.begin, entry.size};
  }
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  struct Entry {
    uint64_t begin;
    uint32_t size;
    uint32_t hash;
  };
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0;  // + 1; 0 is free
  };
  void grow();

  std::vector<char> text_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // open addressing
};

}  // namespace aiflame
