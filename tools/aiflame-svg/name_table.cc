// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/name_table.h"

namespace aiflame {

NameTable::NameTable() : slots_(1024) {}

uint32_t NameTable::intern(std::string_view name, uint32_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot].entry != 0; slot = (slot + 1) & mask) {
    const uint32_t id = slots_[slot].entry - 1;
    if (slots_[slot].hash == hash && (*this)[id] == name) return id;
  }
  const uint32_t id = size();
  entries_.push_back({text_.size(), static_cast<uint32_t>(name.size()), hash});
  text_.insert(text_.end(), name.begin(), name.end());
  slots_[slot] = {hash, id + 1};
  if (entries_.size() * 2 > slots_.size()) grow();
  return id;
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 2, Slot());
  const size_t mask = slots_.size() - 1;
  for (uint32_t id = 0; id < size(); ++id) {
    size_t slot = entries_[id].hash & mask;
    while (slots_[slot].entry != 0) slot = (slot + 1) & mask;
    slots_[slot] = {entries_[id].hash, id + 1};
  }
}

}  // namespace aiflame
