// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_maps.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// Linux allows 65530 mappings in a process by default.
constexpr size_t kMaxMaps = size_t{1} << 20;
// Changes are merged into a new base when they are half as many as the base. So merging copies at
// most three times as many mappings as were recorded.
constexpr size_t kFewChanges = 16;

}  // namespace

void PerfMaps::insert(Table& table, const PerfMap& map) {
  auto at = table.lower_bound(map.start);
  if (at != table.begin() && std::prev(at)->second.end > map.start) --at;
  while (at != table.end() && at->second.start < map.end) {
    const PerfMap old = at->second;
    at = table.erase(at);
    if (old.start < map.start) {
      PerfMap before = old;
      before.end = map.start;
      table[before.start] = before;
    }
    if (old.end > map.end) {
      PerfMap behind = old;
      behind.start = map.end;
      behind.offset += map.end - old.start;
      table[behind.start] = behind;
      break;
    }
  }
  if (table.size() >= kMaxMaps) throw Error("more than 1048576 mappings in a process");
  table[map.start] = map;
}

void PerfMaps::insert(const PerfMap& map) {
  const bool shared = base_.use_count() > 1;
  if (!shared && changes_ == nullptr) {
    insert(*base_, map);
    return;
  }
  if (changes_ == nullptr)
    changes_ = std::make_shared<Table>();
  else if (changes_.use_count() > 1)
    changes_ = std::make_shared<Table>(*changes_);
  insert(*changes_, map);
  if (shared && changes_->size() < base_->size() / 2 + kFewChanges) return;
  if (shared) base_ = std::make_shared<Table>(*base_);
  for (const auto& [start, change] : *changes_) insert(*base_, change);
  changes_.reset();
}

void PerfMaps::erase(uint64_t start) {
  base_->erase(start);
}

const PerfMap* PerfMaps::find(const Table& table, uint64_t address) {
  auto at = table.upper_bound(address);
  if (at == table.begin()) return nullptr;
  --at;
  return address < at->second.end ? &at->second : nullptr;
}

const PerfMap* PerfMaps::find(uint64_t address) const {
  const PerfMap* changed = changes_ == nullptr ? nullptr : find(*changes_, address);
  return changed != nullptr ? changed : find(*base_, address);
}

size_t PerfMaps::held() const {
  const auto share = [](const std::shared_ptr<Table>& table) {
    return table == nullptr ? 0
                            : table->size() / static_cast<size_t>(std::max(1L, table.use_count()));
  };
  return share(base_) + share(changes_);
}

}  // namespace aiflame
