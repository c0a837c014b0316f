// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/name_table.h"

#include <cstring>

namespace aiflame {
namespace {

// Eight bytes a step: symbol names are some tens of bytes, and hashing them is most of the work.
uint32_t hash_of(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  uint64_t hash = text.size() * kFactor;
  const char* at = text.data();
  size_t left = text.size();
  while (left >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  hash = (hash ^ word) * kFactor;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

NameTable::NameTable() : slots_(1024) {}

uint32_t NameTable::intern(std::string_view name) {
  const uint32_t hash = hash_of(name);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t id = slots_[slot] - 1;
    if (entries_[id].hash == hash && (*this)[id] == name) return id;
  }
  const uint32_t id = size();
  entries_.push_back({text_.size(), static_cast<uint32_t>(name.size()), hash});
  text_.insert(text_.end(), name.begin(), name.end());
  slots_[slot] = id + 1;
  if (entries_.size() * 2 > slots_.size()) grow();
  return id;
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (uint32_t id = 0; id < size(); ++id) {
    size_t slot = entries_[id].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
}

}  // namespace aiflame
