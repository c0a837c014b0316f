// SPDX-License-Identifier: MIT
// The concurrent hash table: numbers by digest. Any thread may look up, without a lock, while one
// adds. Digests are never removed.
//
// It is not a HashIndex (libcommon/memory/hash_index.h), whose slots do not hold all that
// identifies an entry: a thread could find a number before the array has the entry. Here a slot
// holds the whole digest, and the number is stored last. When the table grows, the old array is
// kept for threads that still search it. A look-up mostly reads one cache line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/stackcollapse-aiflame/fold/digest.h"

namespace aiflame::collapse {

class DigestTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  DigestTable() { grow(); }

  // For any thread. A digest that another thread is adding may not be found yet.
  uint32_t find(const Digest& digest) const {
    const Array& slots = *array();
    for (size_t at = place_of(slots, digest);; at = next(slots, at)) {
      // read only once: a slot that was free may hold another digest a moment later
      const uint32_t known = slots[at].known();
      if (known == 0) return kNone;
      if (slots[at].is(digest)) return known - 1;
    }
  }

  // Brings the digest's slot into the cache, for a find() a little later.
  void prefetch(const Digest& digest) const {
    const Array& slots = *array();
    __builtin_prefetch(&slots[place_of(slots, digest)]);
  }

  // For one thread at a time. Sets the number, which is not kNone, of a digest; a digest that has a
  // number keeps it.
  void add(const Digest& digest, uint32_t number) {
    if (find(digest) != kNone) return;
    if ((used_ + 1) * 4 > array()->size() * 3) grow();
    ++used_;
    put(*array(), digest, number + 1);
  }

  // Removes all. Not while other threads look up.
  void clear() {
    array_ = nullptr;
    arrays_.clear();
    used_ = 0;
    grow();
  }

  // Other threads look up from now on: old arrays are kept for them.
  void share() { shared_ = true; }

 private:
  // The number plus one is written last and read first: a thread that sees it sees the digest too.
  struct Slot {
    std::atomic<uint32_t> words[3] = {};
    std::atomic<uint32_t> number = 0;

    uint32_t known() const { return number.load(std::memory_order_acquire); }
    bool is(const Digest& digest) const {
      return words[0].load(std::memory_order_relaxed) == digest.words[0] &&
             words[1].load(std::memory_order_relaxed) == digest.words[1] &&
             words[2].load(std::memory_order_relaxed) == digest.words[2];
    }
    void set(const Digest& digest, uint32_t known) {
      for (int i = 0; i < 3; ++i) words[i].store(digest.words[i], std::memory_order_relaxed);
      number.store(known, std::memory_order_release);
    }
  };
  using Array = std::vector<Slot>;

  Array* array() const { return array_.load(std::memory_order_acquire); }

  static size_t place_of(const Array& slots, const Digest& digest) {
    return digest.hash() & (slots.size() - 1);
  }
  static size_t next(const Array& slots, size_t at) { return (at + 1) & (slots.size() - 1); }
  static void put(Array& slots, const Digest& digest, uint32_t known) {
    size_t at = place_of(slots, digest);
    while (slots[at].known() != 0) at = next(slots, at);
    slots[at].set(digest, known);
  }

  void grow() {
    const Array* const old = array();
    auto grown = std::make_unique<Array>(old == nullptr ? 256 : old->size() * 4);
    for (size_t i = 0; old != nullptr && i < old->size(); ++i) {
      const Slot& slot = (*old)[i];
      if (slot.known() == 0) continue;
      Digest digest;
      for (int word = 0; word < 3; ++word) digest.words[word] = slot.words[word];
      put(*grown, digest, slot.known());
    }
    array_.store(grown.get(), std::memory_order_release);
    if (!shared_) arrays_.clear();
    arrays_.push_back(std::move(grown));
  }

  std::atomic<Array*> array_ = nullptr;  // the last one
  std::vector<std::unique_ptr<Array>> arrays_;
  size_t used_ = 0;
  bool shared_ = false;
};

}  // namespace aiflame::collapse
