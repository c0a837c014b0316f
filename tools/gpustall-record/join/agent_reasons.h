// SPDX-License-Identifier: MIT
// Translates the numbers that agents use for stall reasons to those of a NameTable. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tools/gpustall-record/code/name_table.h"

namespace aiflame::record {

class AgentReasons {
 public:
  // Process `pid` uses `number` for the reason `name`, which is added to `names`. Devices have some
  // forty reasons. After kMaxNames different ones, which only a hostile agent reports, further
  // names become "[unknown]".
  void add(uint32_t pid, uint32_t number, NameTable& names, std::string_view name) {
    unknown_ = names.intern("[unknown]");
    auto known = numbers_.find(std::string(name));
    if (known == numbers_.end()) {
      const bool fits = !name.empty() && numbers_.size() < kMaxNames;
      if (!fits) {
        of_process_[{pid, number}] = unknown_;
        return;
      }
      known = numbers_.emplace(name, names.intern(std::string(name))).first;
    }
    of_process_[{pid, number}] = known->second;
  }
  bool knows(uint32_t pid, uint32_t number) const { return of_process_.contains({pid, number}); }
  // The reason's number in the NameTable: that of "[unknown]" for an unknown number, 0 when no
  // reason was ever added.
  uint32_t find(uint32_t pid, uint32_t number) const {
    const auto known = of_process_.find({pid, number});
    return known == of_process_.end() ? unknown_ : known->second;
  }
  void forget(uint32_t pid) {
    of_process_.erase(of_process_.lower_bound({pid, 0}),
                      of_process_.upper_bound({pid, UINT32_MAX}));
  }

 private:
  static constexpr size_t kMaxNames = 4096;
  uint32_t unknown_ = 0;
  std::map<std::string, uint32_t> numbers_;                       // in the NameTable
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_process_;  // by (pid, agent's number)
};

}  // namespace aiflame::record
