// SPDX-License-Identifier: MIT
// What the host does at a moment, seen from a thread that will launch something: what this thread
// does. If it has nothing open, the main thread of its process counts: autograd's threads launch
// the backward pass, and have nothing open while the main thread runs the optimizer.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/timeline/idle_causes.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

class HostMoments {
 public:
  // `main_threads`: by thread, the main thread of its process (join/main_threads.h).
  HostMoments(const Trace& trace, const Nesting& nesting, const ImportedStacks& stacks,
              const std::vector<uint32_t>& main_threads)
      : trace_(trace), nesting_(nesting), stacks_(stacks), main_threads_(main_threads) {}

  // `thread`: kNoNumber: none is known. HostMoment::what is the slice.
  HostMoment at(uint32_t thread, int64_t time);

 private:
  HostMoment of_thread(uint32_t thread, int64_t time);
  HostPhase phase_of(uint32_t slice, int64_t time);

  const Trace& trace_;
  const Nesting& nesting_;
  const ImportedStacks& stacks_;
  const std::vector<uint32_t>& main_threads_;
  std::vector<HostPhase> calls_;  // phases of calls, by frame; nothing: not known yet
};

}  // namespace aiflame::trace
