// SPDX-License-Identifier: MIT
// The calls of HIP of one process, each with the stack that it was made on, by correlation id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-rocprof/process_trace.h"
#include "tools/stackcollapse-rocprof/settings.h"

namespace aiflame::rocprof {

class Launches {
 public:
  Launches(ProcessTrace& process, const Settings& settings, ImportedStacks& stacks);

  // The stack of the call that has this id. Nothing if it was not recorded.
  std::optional<uint32_t> find(uint64_t correlation) const;
  // The stack of a launch that was not recorded. `thread`: 0 where it is not known.
  uint32_t unknown(uint64_t thread) const;

 private:
  uint32_t root(uint64_t thread) const;

  const Settings& settings_;
  ImportedStacks& stacks_;
  std::string name_;
  std::vector<ApiCall> calls_;  // sorted by correlation id
};

}  // namespace aiflame::rocprof
