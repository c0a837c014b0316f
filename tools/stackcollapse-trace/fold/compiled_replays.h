// SPDX-License-Identifier: MIT
// The kernels of compiled code in replays of CUDA graphs, which torch.compile captures by itself
// (mode "reduce-overhead"): a replay's trace has one launch for all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/stackcollapse-trace/join/compiled_calls.h"
#include "tools/stackcollapse-trace/join/graph_works.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

class CompiledReplays {
 public:
  CompiledReplays(const Trace& trace, const GraphWorks& graphs, CompiledCalls& calls);

  // Empty: no replay's, or not of known code. `work`: its place in trace.work.
  CompiledChoice choice_of(size_t work) const {
    return choices_.empty() ? CompiledChoice() : choices_[work];
  }

 private:
  std::vector<CompiledChoice> choices_;  // by work
};

}  // namespace aiflame::trace
