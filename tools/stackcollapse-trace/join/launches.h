// SPDX-License-Identifier: MIT
// Finds the launch of what a device did: the call of the runtime with the same correlation; else
// where an arrow to it comes from, from the operator or from the runtime; else the operator with
// its "External id".
//
// Numbers are of a process. Ranks that were merged into one file have the same ones, and where
// nothing tells them apart (keep/rank_scope.h) no launch is named.
#pragma once

#include <span>
#include <vector>

#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

struct Launch {
  uint32_t slice = kNoNumber;
  int64_t time = 0;
  bool ambiguous = false;  // several processes have launched something with its numbers
};

class Launches {
 public:
  // Sorts the arrows of the trace.
  Launches(Trace& trace, const Nesting& nesting);

  // Without a slice: not known.
  Launch find(const Work& work) const;

 private:
  Launch by_correlation(const Work& work) const;
  Launch by_flow(const Flows& flows, const Work& work) const;
  Launch by_external_id(const Work& work) const;
  // Of the slices with an id, the last that began before the work did, or the first of all.
  Launch latest(const std::vector<uint32_t>& by_id, uint64_t id, const Work& work) const;
  // The same where several processes have such slices: the one process whose operator has the
  // work's external id.
  Launch of_one_process(std::span<const uint32_t> slices, const Work& work) const;
  uint64_t operator_of(uint32_t slice) const;
  uint32_t process(uint32_t slice) const {
    return trace_.threads.process(trace_.slices[slice].thread);
  }

  const Trace& trace_;
  const Nesting& nesting_;
  std::vector<uint32_t> calls_;  // slices by correlation and time
  std::vector<uint32_t> python_threads_;
  std::vector<uint32_t> operators_;  // slices by external id and time
};

}  // namespace aiflame::trace
