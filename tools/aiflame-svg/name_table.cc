// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/name_table.h"

namespace aiflame {

NameTable::NameTable() : slots_(1024) {}

uint32_t NameTable::add(std::string_view name, uint64_t hash, size_t slot) {
  const uint32_t id = size();
  entries_.push_back({text_.size(), static_cast<uint32_t>(name.size())});
  text_.insert(text_.end(), name.begin(), name.end());
  slots_[slot] = {hash, id + 1};
  // at most half full
  if (entries_.size() * 2 > slots_.size()) grow();
  return id;
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& one : old) {
    if (one.entry == 0) continue;
    size_t slot = one.hash & mask;
    while (slots_[slot].entry != 0) slot = (slot + 1) & mask;
    slots_[slot] = one;
  }
}

void NameTable::arrange(const std::vector<uint32_t>& order) {
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const uint32_t id : order) entries.push_back(entries_[id]);
  entries_.swap(entries);
  std::vector<Slot>().swap(slots_);
}

}  // namespace aiflame
