// SPDX-License-Identifier: MIT
// What the agents of processes mean by the number of a stall's reason. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tools/gpustall-record/write/objects.h"

namespace aiflame::record {

class AgentReasons {
 public:
  // `number` of process `pid` is `name`, which gets a number in `names`. Devices have some forty
  // reasons; of an agent that makes up more than kMaxNames, the rest is `[unknown]`.
  void name(uint32_t pid, uint32_t number, Names& names, std::string_view name) {
    unknown_ = names.number("[unknown]");
    auto known = numbers_.find(std::string(name));
    if (known == numbers_.end()) {
      const bool fits = !name.empty() && numbers_.size() < kMaxNames;
      if (!fits) {
        of_process_[{pid, number}] = unknown_;
        return;
      }
      known = numbers_.emplace(name, names.number(std::string(name))).first;
    }
    of_process_[{pid, number}] = known->second;
  }
  // In the `names` that were given; 0 = nothing was told.
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
  std::map<std::string, uint32_t> numbers_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_process_;
};

}  // namespace aiflame::record
