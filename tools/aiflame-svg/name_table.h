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

  // The number of `name`, a new one when it was not seen yet. Numbers count from 0.
  uint32_t intern(std::string_view name);
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
  void grow();

  std::vector<char> text_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // open addressing; entry + 1, 0 is free
};

}  // namespace aiflame
