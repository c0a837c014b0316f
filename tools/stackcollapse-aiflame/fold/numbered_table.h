// SPDX-License-Identifier: MIT
// Small plain keys as numbers, from 0 in order of first appearance, and back.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/fold/flat_table.h"

namespace aiflame::collapse {

// Key: a struct of uint32_t with ==. They are our own numbers, given in the order of the input: one
// that collides on purpose would have to bring as many texts as it wants to collide.
template <typename Key>
class NumberedTable {
 public:
  uint32_t number(const Key& key) {
    const uint32_t known = numbers_.find({key});
    if (known != numbers_.kNone) return known;
    if (keys_.size() == UINT32_MAX - 1) throw Error("more than 4294967294 distinct stacks");
    const auto number = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    numbers_.set({key}, number);
    return number;
  }
  void reserve(size_t keys) {
    numbers_.reserve(keys);
    keys_.reserve(keys);
  }
  const Key& key(uint32_t number) const { return keys_[number]; }
  size_t size() const { return keys_.size(); }

 private:
  struct Hashed {
    Key key;
    bool operator==(const Hashed&) const = default;
    uint64_t hash() const {
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
  };

  FlatTable<Hashed> numbers_;
  std::vector<Key> keys_;
};

}  // namespace aiflame::collapse
