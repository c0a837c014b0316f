// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/prefix_table.h"

namespace aiflame {

uint32_t PrefixTable::find(uint64_t hash) const {
  if (slots_.empty()) return kNone;
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].node != kNone; i = (i + 1) & mask)
    if (slots_[i].tag == tag_of(hash) && hashes_[slots_[i].node] == hash) return slots_[i].node;
  return kNone;
}

uint32_t PrefixTable::find_likely(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].node != kNone; i = (i + 1) & mask)
    if (slots_[i].tag == tag_of(hash)) return slots_[i].node;
  return kNone;
}

void PrefixTable::add(uint64_t hash) {
  // at most three quarters full
  if (slots_.empty() || hashes_.size() * 4 >= slots_.size() * 3) grow();
  put(hash, static_cast<uint32_t>(hashes_.size()));
  hashes_.push_back(hash);
}

void PrefixTable::put(uint64_t hash, uint32_t node) {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].node != kNone) i = (i + 1) & mask;
  slots_[i] = {tag_of(hash), node};
}

void PrefixTable::grow() {
  const size_t size = slots_.empty() ? 1024 : 2 * slots_.size();
  std::vector<Slot>().swap(slots_);  // before there is another
  slots_.resize(size);
  for (uint32_t node = 0; node < hashes_.size(); ++node) {
    // the slots of the nodes to come are fetched meanwhile
    constexpr uint32_t kAhead = 16;
    if (node + kAhead < hashes_.size()) prefetch(hashes_[node + kAhead]);
    put(hashes_[node], node);
  }
}

}  // namespace aiflame
