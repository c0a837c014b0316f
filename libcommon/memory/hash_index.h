// SPDX-License-Identifier: MIT
// The hash table of all programs: finds the number of a thing by its hash.
//
// The table holds numbers only. The owner keeps the things themselves in an array, in the order in
// which they were added, and compares them. An owner is a few lines: TextTable (texts),
// NumberedTable (small structs), aiflame-svg's NameTable, aiflame-diff's StackTable.
//
// Open addressing with linear probing, at most two thirds full. Of 2^k slots, the slot of number n
// holds the hash with its lowest k bits replaced by n + 1. The slot's position stands in for those
// bits. So a slot takes 8 bytes, and a look-up mostly reads one cache line. aiflame-svg looks a
// name up for almost every frame: what the table leaves free in the processor's cache, other data
// can use.
//
// Why not a library: with Debian's robin-map 1.2 in its place, aiflame-svg took 12 to 16 % longer
// to draw a million shuffled stacks (`make bench`, svg). Alone, robin-map is faster: it finds a
// number among 40 000 in 8 ns, where this takes 12. But it needs two to four times the memory,
// takes two to four times as long to add a number, and cannot prefetch. Abseil's flat_hash_map was
// slower still with a million numbers: 79 ns, robin-map 47, this 38.
//
// A hostile input must not be able to choose hashes that collide: use hash_text() with hash_seed().
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace aiflame {

class HashIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  HashIndex() : slots_(256) {}

  // The number under `hash` for which same(number) holds, or kNone. same() is called only where all
  // but the lowest bits of the hashes agree.
  template <typename Same>
  uint32_t find(uint64_t hash, const Same& same) const {
    const uint64_t mask = slots_.size() - 1;
    for (uint64_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
      if ((slots_[at] ^ hash) > mask) continue;
      const uint32_t number = static_cast<uint32_t>(slots_[at] & mask) - 1;
      if (same(number)) return number;
    }
    return kNone;
  }

  // Adds the next number, which is size(), under `hash`. hash_of(number) returns the hash of a
  // number already added: slots do not keep all of it. At most UINT32_MAX - 1 numbers fit.
  template <typename HashOf>
  uint32_t add(uint64_t hash, const HashOf& hash_of) {
    if ((size_ + 1) * 3 > slots_.size() * 2) resize(slots_.size() * 2, hash_of);
    put(hash);
    return static_cast<uint32_t>(size_ - 1);
  }

  // Makes room for `numbers` in all.
  template <typename HashOf>
  void reserve(size_t numbers, const HashOf& hash_of) {
    size_t slots = slots_.size();
    while (numbers * 3 > slots * 2) slots *= 2;
    if (slots > slots_.size()) resize(slots, hash_of);
  }

  // Brings the slot where find() begins into the cache. In a large table, most of the time is spent
  // waiting for memory.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  // The number in that slot, whatever it is, or kNone: most likely what find() will return.
  uint32_t first(uint64_t hash) const {
    const uint64_t mask = slots_.size() - 1;
    return static_cast<uint32_t>(slots_[hash & mask] & mask) - 1;
  }

  size_t size() const { return size_; }

 private:
  void put(uint64_t hash) {
    const uint64_t mask = slots_.size() - 1;
    uint64_t at = hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = (hash & ~mask) | ++size_;
  }

  template <typename HashOf>
  void resize(size_t slots, const HashOf& hash_of) {
    const size_t numbers = std::exchange(size_, 0);
    std::vector<uint64_t>().swap(slots_);  // so that the old and the new do not exist together
    slots_.resize(slots);
    while (size_ < numbers) put(hash_of(static_cast<uint32_t>(size_)));
  }

  std::vector<uint64_t> slots_;  // 0 is free
  size_t size_ = 0;
};

}  // namespace aiflame
