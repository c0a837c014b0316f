// SPDX-License-Identifier: MIT
// Names as numbers: each distinct one is stored once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/memory/hash_index.h"
#include "libcommon/memory/kept_names.h"
#include "libcommon/text/text_hash.h"

namespace aiflame::svg {

class NameTable {
 public:
  // The number of `name`, a new one when it was not seen yet. Numbers count from 0. `hash` is
  // hash_text(name, hash_seed()). Names with the same hash are taken for the same name: of a
  // million names, two have the same once in millions of runs.
  uint32_t intern(std::string_view name, uint64_t hash) {
    const uint32_t known = index_.find(hash, [](uint32_t) { return true; });
    return known != HashIndex::kNone ? known : add(name, hash);
  }
  // Brings what intern() will read into the cache: 2 to 3 % (`make bench`, svg, shuffled).
  void prefetch(uint64_t hash) const { index_.prefetch(hash); }
  uint32_t intern(std::string_view name) { return intern(name, hash_text(name, hash_seed())); }
  // Valid until the next intern().
  std::string_view operator[](uint32_t id) const {
    const Entry& entry = entries_[id];
    return {text_.data() + entry.begin, entry.size};
  }
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

  // Renumbers the names: name order[i] becomes i. No name can be interned after that.
  void arrange(const std::vector<uint32_t>& order);

 private:
  struct Entry {
    uint64_t begin;
    uint32_t size;
  };
  uint32_t add(std::string_view name, uint64_t hash);

  std::vector<char> text_;
  std::vector<Entry> entries_;
  HashIndex index_;
  KeptNames kept_;
};

}  // namespace aiflame::svg
