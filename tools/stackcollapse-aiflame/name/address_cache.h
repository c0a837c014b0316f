// SPDX-License-Identifier: MIT
// Caches facts about addresses in files. An entry serves all processes that map the file, at
// whatever address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/symbols/call_frames.h"
#include "libcommon/text/text_hash.h"

namespace aiflame::collapse {

// An open-addressing table in one array: a look-up is usually one cache miss.
class AddressCache {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    uint64_t offset = 0;             // in the file
    uint32_t object = kNone;         // the file and the kind of frame, as the caller encodes them
    uint32_t frame = kNone;          // what is drawn
    const CallRule* rule = nullptr;  // how to find its caller
  };

  // Forgets all entries rather than hold more than `most`.
  explicit AddressCache(size_t most) : most_(most) {}

  // The entry of an address, added if it is new. Valid until the next call. `object` is not kNone.
  Entry& at(uint64_t offset, uint32_t object) {
    Entry* entry = find(offset, object);
    if (entry->object != kNone) return *entry;
    if (used_ == most_) {
      entries_.assign(kFirst, {});
      used_ = 0;
      entry = find(offset, object);
    } else if (2 * used_ == entries_.size()) {
      grow();
      entry = find(offset, object);
    }
    ++used_;
    entry->offset = offset;
    entry->object = object;
    return *entry;
  }

  // Calls body(entry) for each.
  template <typename Body>
  void each(Body body) {
    for (Entry& entry : entries_)
      if (entry.object != kNone) body(entry);
  }

 private:
  static constexpr size_t kFirst = 1024;

  Entry* find(uint64_t offset, uint32_t object) {
    const size_t mask = entries_.size() - 1;
    // the middle bits of the product depend on all bits of both
    size_t at = ((offset + object * 0x9e3779b97f4a7c15) * factor_ >> 24) & mask;
    while (entries_[at].object != kNone &&
           (entries_[at].offset != offset || entries_[at].object != object))
      at = (at + 1) & mask;
    return &entries_[at];
  }
  void grow() {
    std::vector<Entry> old(entries_.size() * 4);
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.object != kNone) *find(entry.offset, entry.object) = entry;
  }

  const size_t most_;
  // random, so that nobody can craft a file whose addresses all collide
  const uint64_t factor_ = hash_seed() | 1;
  std::vector<Entry> entries_ = std::vector<Entry>(kFirst);
  size_t used_ = 0;
};

}  // namespace aiflame::collapse
