// SPDX-License-Identifier: MIT
// The calls of HIP of one process, each with the stack that it was made on, by correlation id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-rocprof/process_trace.h"
#include "tools/stackcollapse-rocprof/range_roots.h"
#include "tools/stackcollapse-rocprof/settings.h"

namespace aiflame::rocprof {

// The frame of a range, or of a call that counts as one.
uint32_t range_stack_frame(const ProcessTrace& process, const MarkedRange& range,
                           ImportedStacks& stacks);

class Launches {
 public:
  Launches(ProcessTrace& process, const Settings& settings, const RangeRoots& roots,
           ImportedStacks& stacks);

  // The call that has this id, or nullptr: it was not recorded.
  const ApiCall* find(uint64_t correlation) const;
  // All of them, each with its stack.
  const std::vector<ApiCall>& calls() const { return calls_; }
  // The stack on which what a thread does stands. `thread`: 0 where it is not known.
  uint32_t root(uint64_t thread) const;
  // The stack of a launch that was not recorded. `thread`: 0 where it is not known.
  uint32_t unknown(uint64_t thread) const;

 private:
  const Settings& settings_;
  ImportedStacks& stacks_;
  std::string name_;
  std::vector<ApiCall> calls_;  // sorted by correlation id
};

}  // namespace aiflame::rocprof
