// SPDX-License-Identifier: MIT
// Which node a beginning of a stack ends in, by its hash: so that a stack of 50 frames is found in
// some six steps instead of 50.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/growing_array.h"

namespace aiflame {

class PrefixTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  bool empty() const { return hashes_.empty(); }
  // The node that was added with this hash, or kNone.
  uint32_t find(uint64_t hash) const;
  // The same, or, once in four thousand million times, another node, which is to be told by
  // hash_of(): it looks at less memory.
  uint32_t find_likely(uint64_t hash) const;
  // Nodes are added in the order of their numbers, from 0.
  void add(uint64_t hash);
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_hash(uint32_t node) const { __builtin_prefetch(&hashes_[node]); }
  uint64_t hash_of(uint32_t node) const { return hashes_[node]; }
  void clear() { *this = PrefixTable(); }

 private:
  // The upper half of the hash, so that most of what has another hash is passed over in one access.
  struct Slot {
    uint32_t tag = 0;
    uint32_t node = kNone;
  };
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  void put(uint64_t hash, uint32_t node);
  void grow();

  std::vector<Slot> slots_;        // open addressing
  GrowingArray<uint64_t> hashes_;  // by node
};

}  // namespace aiflame
