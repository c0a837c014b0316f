// SPDX-License-Identifier: MIT
// What a recording says of the build ids of CPU objects that its stacks name. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class BuildIds {
 public:
  // What is kept counts in `budgets`, as Kept::build_ids.
  explicit BuildIds(Budgets& budgets) : budgets_(budgets) {}

  // A stack of `pid` names the object `path`, which has this build id; "" = none.
  void see(uint32_t pid, const std::string& path, const std::string& build_id);
  // The lines that are new since the last call, see libcommon/gpustall/object_build_id.h.
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

 private:
  static uint64_t cost(const std::string& path) { return 256 + path.size(); }

  Budgets& budgets_;
  // As the recording has told so far. Nothing is forgotten when a process ends, because its lines
  // hold until the recording ends.
  std::map<std::string, std::string> of_all_;
  std::map<std::pair<uint32_t, std::string>, std::string> of_process_;
  std::vector<std::string> lines_;
};

}  // namespace aiflame::record
