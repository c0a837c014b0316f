// SPDX-License-Identifier: MIT
// Finds the launch of what a device did: the call of the runtime with the same correlation; else
// where an arrow to it comes from; else the operator with its "External id".
#pragma once

#include <vector>

#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

struct Launch {
  uint32_t slice = kNoNumber;
  int64_t time = 0;
};

class Launches {
 public:
  // Sorts the arrows of the trace.
  Launches(Trace& trace, const Nesting& nesting);

  // Without a slice: not known.
  Launch find(const Work& work) const;

 private:
  Launch by_correlation(const Work& work) const;
  Launch by_flow(const Work& work) const;
  Launch by_external_id(const Work& work) const;
  // Of the slices with an id, the last that began before the work did, or the first of all.
  Launch latest(const std::vector<uint32_t>& by_id, uint64_t id, int64_t time) const;

  const Trace& trace_;
  const Nesting& nesting_;
  std::vector<uint32_t> calls_;      // slices by correlation and time
  std::vector<uint32_t> operators_;  // slices by external id and time
};

}  // namespace aiflame::trace
