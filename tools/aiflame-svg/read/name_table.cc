// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/name_table.h"

namespace aiflame::svg {

NameTable::NameTable() : slots_(1024) {}

uint32_t NameTable::add(std::string_view name, uint64_t hash, uint64_t slot) {
  const uint32_t id = size();
  entries_.push_back({text_.size(), static_cast<uint32_t>(name.size())});
  text_.insert(text_.end(), name.begin(), name.end());
  put(hash, id, slot);
  // at most two thirds full
  if (entries_.size() * 3 > slots_.size() * 2) grow();
  return id;
}

void NameTable::put(uint64_t hash, uint32_t id, uint64_t slot) {
  const uint64_t mask = slots_.size() - 1;
  slots_[slot] = (hash & ~mask) | (uint64_t{id} + 1);
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const uint64_t mask = slots_.size() - 1;
  for (uint32_t id = 0; id < size(); ++id) {
    const uint64_t hash = hash_text((*this)[id], hash_seed());
    uint64_t slot = hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    put(hash, id, slot);
  }
}

void NameTable::arrange(const std::vector<uint32_t>& order) {
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const uint32_t id : order) entries.push_back(entries_[id]);
  entries_.swap(entries);
  std::vector<uint64_t>().swap(slots_);
}

}  // namespace aiflame::svg
