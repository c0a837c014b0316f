// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/name_table.h"

namespace aiflame::svg {

uint32_t NameTable::add(std::string_view name, uint64_t hash) {
  entries_.push_back({text_.size(), static_cast<uint32_t>(name.size())});
  kept_.keep(name.size());
  text_.insert(text_.end(), name.begin(), name.end());
  return index_.add(hash, [this](uint32_t id) { return hash_text((*this)[id], hash_seed()); });
}

void NameTable::arrange(const std::vector<uint32_t>& order) {
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const uint32_t id : order) entries.push_back(entries_[id]);
  entries_.swap(entries);
  index_ = HashIndex();
}

}  // namespace aiflame::svg
