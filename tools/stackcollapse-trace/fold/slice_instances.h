// SPDX-License-Identifier: MIT
// --by-range: which slices of a trace are the instances of the range that the user has named.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

class SliceInstances {
 public:
  // The slices nest already. Tells `stacks` which ranges there are.
  SliceInstances(const Trace& trace, const TraceSettings& settings, ImportedStacks& stacks);

  // The frame of the instance that a slice is, or kNoNumber. A device shows a range again, from its
  // first work to its last: that is the instance of the host's range.
  uint32_t frame_of(uint32_t slice) const;

 private:
  const Trace& trace_;
  std::unordered_map<uint32_t, uint32_t> frames_;  // by slice
  std::unordered_map<uint64_t, uint32_t> by_id_;   // by "External id"
};

}  // namespace aiflame::trace
