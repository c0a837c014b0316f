// SPDX-License-Identifier: MIT
// Texts and lists of numbers as small numbers: each distinct one is stored once. A profile repeats
// the same hundred thousand lines a million times, so the program spends its time in this table.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "libcommon/memory/hash_index.h"
#include "libcommon/memory/kept_names.h"

namespace aiflame {

class TextTable {
 public:
  TextTable();

  // The number of `text`, from 0 in order of first appearance. `added` tells whether it is new.
  uint32_t number(std::string_view text, bool* added = nullptr);
  // Valid as long as the table.
  std::string_view text(uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  std::string_view store(std::string_view text);
  void index();

  uint64_t seed_;  // an input that collides on purpose must not make us slow
  // Sorted texts, which filters write, are new when they come: until one is not greater than the
  // one before, nothing is looked up, and the index stays empty.
  bool ascending_ = true;
  HashIndex index_;
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0, block_size_ = 0;
  KeptNames kept_;
};

// Lists of numbers, numbered the same way.
class ListTable {
 public:
  uint32_t number(const uint32_t* items, size_t count) {
    return table_.number(
        std::string_view(reinterpret_cast<const char*>(items), count * sizeof *items));
  }
  uint32_t number(const std::vector<uint32_t>& items) { return number(items.data(), items.size()); }
  size_t size() const { return table_.size(); }
  // The length of a list.
  size_t count(uint32_t list) const { return table_.text(list).size() / sizeof(uint32_t); }
  // Calls body(item) for each.
  template <typename Body>
  void each(uint32_t list, Body body) const {
    const std::string_view bytes = table_.text(list);
    for (size_t at = 0; at < bytes.size(); at += sizeof(uint32_t)) {
      uint32_t item;
      std::memcpy(&item, bytes.data() + at, sizeof item);
      body(item);
    }
  }

 private:
  TextTable table_;
};

}  // namespace aiflame
