// SPDX-License-Identifier: MIT
// The phases of a program: what 'external_annotations' name, by time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-torch-memory/snapshot.h"

namespace aiflame::torch_memory {

class Phases {
 public:
  Phases(const Snapshot& snapshot, uint64_t device, ImportedStacks& stacks);

  // When the last step of an optimizer ended before a time; 0 if none did.
  static uint64_t step_before(const Snapshot& snapshot, uint64_t device, uint64_t time);

  // The stack of the phases that enclose a time, as ranges: `Optimizer.step#AdamW.step_[r]`.
  uint32_t at(uint64_t time) const;

 private:
  std::vector<std::pair<uint64_t, uint32_t>> changes_;  // from this time on, this stack
};

}  // namespace aiflame::torch_memory
