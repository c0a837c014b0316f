// SPDX-License-Identifier: MIT
// Small plain keys as numbers, from 0 in order of first appearance, and back.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/memory/hash_index.h"

namespace aiflame {

// Key: a struct of uint32_t with ==. The fields are our own numbers, given in the order of the
// input. To make n keys collide on purpose, an input would have to bring n texts.
template <typename Key>
class NumberedTable {
 public:
  // A key's number, or HashIndex::kNone.
  uint32_t find(const Key& key) const {
    return index_.find(hash_of(key), [&](uint32_t other) { return keys_[other] == key; });
  }
  uint32_t number(const Key& key) {
    const uint64_t hash = hash_of(key);
    const uint32_t known = index_.find(hash, [&](uint32_t other) { return keys_[other] == key; });
    if (known != HashIndex::kNone) return known;
    if (keys_.size() == UINT32_MAX - 1) throw Error("more than 4294967294 distinct stacks");
    keys_.push_back(key);
    return index_.add(hash, [&](uint32_t other) { return hash_of(keys_[other]); });
  }
  void reserve(size_t keys) {
    index_.reserve(keys, [&](uint32_t other) { return hash_of(keys_[other]); });
    keys_.reserve(keys);
  }
  const Key& key(uint32_t number) const { return keys_[number]; }
  size_t size() const { return keys_.size(); }

 private:
  static uint64_t hash_of(const Key& key) {
    static_assert(sizeof key % sizeof(uint32_t) == 0);
    uint32_t words[sizeof key / sizeof(uint32_t)];
    std::memcpy(words, &key, sizeof key);
    uint64_t bits = 0;
    for (const uint32_t word : words) {
      bits = (bits ^ word) * 0x9e3779b97f4a7c15;
      bits ^= bits >> 32;
    }
    return bits;
  }

  HashIndex index_;
  std::vector<Key> keys_;
};

}  // namespace aiflame
