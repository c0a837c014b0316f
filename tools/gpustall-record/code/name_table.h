// SPDX-License-Identifier: MIT
// Numbers for names, of kernels or of stall reasons, so that samples compare by number. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class NameTable {
 public:
  // The number of `name`, from 1; adds it when it is new. 0 stands for no name.
  uint32_t intern(const std::string& name) {
    const auto [at, added] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(&at->first);
    return at->second;
  }
  // The same for a name that process `pid` reports. 0 when it is new and over the budget.
  uint32_t intern(const std::string& name, uint32_t pid, Budgets& budgets) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    return budgets.take(Kept::names, pid, kBytes + name.size()) ? intern(name) : 0;
  }
  const std::string& name(uint32_t number) const {
    static const std::string none;
    return number == 0 ? none : *names_[number];
  }

 private:
  static constexpr uint64_t kBytes = 112;  // of an entry, beside the name's

  std::vector<const std::string*> names_{nullptr};
  std::map<std::string, uint32_t> numbers_;  // owns the names
};

}  // namespace aiflame::record
