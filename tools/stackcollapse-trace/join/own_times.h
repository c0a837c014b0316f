// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// By slice: its time without those of the slices that stand on it. A slice that outlasts its parent
// ends with it. Parents must stand before their children, as join/nesting.h leaves them.
inline std::vector<int64_t> own_times(const Trace& trace) {
  std::vector<int64_t> own(trace.slices.size()), ends(trace.slices.size());
  for (size_t i = 0; i < own.size(); ++i) {
    const Slice& slice = trace.slices[i];
    ends[i] = slice.parent == kNoNumber ? slice.end : std::min(slice.end, ends[slice.parent]);
    own[i] = std::max<int64_t>(0, ends[i] - slice.start);
    if (slice.parent != kNoNumber) own[slice.parent] -= own[i];
  }
  return own;
}

}  // namespace aiflame::trace
