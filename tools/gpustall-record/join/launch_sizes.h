// SPDX-License-Identifier: MIT
// The sizes of launches: each distinct one has a number, for all processes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "libcommon/gpustall/launch_size.h"
#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class LaunchSizes {
 public:
  // Bounds the table for all processes; programs have some hundred sizes.
  static constexpr size_t kMost = 1 << 16;
  // What a process's id of a size takes in memory.
  static constexpr uint64_t kBytes = 96;

  // Process `pid` calls a size `id`. A size for which there is no room stays unknown.
  void add(uint32_t pid, uint64_t id, const LaunchSize& size, Budgets& budgets) {
    if (ids_.contains({pid, id})) return;
    const auto known = numbers_.find(size);
    if (known == numbers_.end() && sizes_.size() >= kMost) {
      budgets.drop(Kept::tables, pid);
      return;
    }
    if (!budgets.take(Kept::tables, pid, kBytes)) return;
    uint32_t number = 0;
    if (known != numbers_.end()) {
      number = known->second;
    } else {
      sizes_.push_back(size);
      number = numbers_[size] = static_cast<uint32_t>(sizes_.size());
    }
    ids_[{pid, id}] = number;
  }
  // 0 for one that is not known.
  uint32_t find(uint32_t pid, uint64_t id) const {
    const auto known = ids_.find({pid, id});
    return known == ids_.end() ? 0 : known->second;
  }
  // Not for 0.
  const LaunchSize& at(uint32_t number) const { return sizes_[number - 1]; }

  // Drops the ids of a process: a new program in it uses other ones. Their room is given back by
  // the caller, with everything else of Kept::tables.
  void forget(uint32_t pid) {
    ids_.erase(ids_.lower_bound({pid, 0}), ids_.upper_bound({pid, UINT64_MAX}));
  }

 private:
  std::vector<LaunchSize> sizes_;  // by number - 1
  std::map<LaunchSize, uint32_t> numbers_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> ids_;  // by (pid, agent's id)
};

}  // namespace aiflame::record
