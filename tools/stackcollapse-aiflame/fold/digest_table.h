// SPDX-License-Identifier: MIT
// Numbers by digest, in one array: a look-up is one miss of the cache, as a rule. Nothing is ever
// taken out, so that any thread may look up while another adds.
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

  // For any thread; what another one is just adding may not be found yet.
  uint32_t find(const Digest& digest) const {
    const Array& slots = *array();
    for (size_t at = place_of(slots, digest);; at = next(slots, at)) {
      // once alone: what was free may be another digest's now
      const uint32_t known = slots[at].known();
      if (known == 0) return kNone;
      if (slots[at].is(digest)) return known - 1;
    }
  }

  // Has the digest's place on its way into the cache when it is looked up a little later.
  void prefetch(const Digest& digest) const {
    const Array& slots = *array();
    __builtin_prefetch(&slots[place_of(slots, digest)]);
  }

  // For one thread at a time: sets the number, which is not kNone, of a digest that has none.
  void add(const Digest& digest, uint32_t number) {
    if (find(digest) != kNone) return;
    if ((used_ + 1) * 4 > array()->size() * 3) grow();
    ++used_;
    put(*array(), digest, number + 1);
  }

  // Not while other threads look up.
  void clear() {
    array_ = nullptr;
    arrays_.clear();
    used_ = 0;
    grow();
  }

  // From now on other threads look up: arrays that are outgrown are kept for them.
  void share() { shared_ = true; }

 private:
  // The number, plus one, is written last, and read first: who sees it sees the digest.
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
