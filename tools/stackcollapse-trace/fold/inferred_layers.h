// SPDX-License-Identifier: MIT
// The layers of a model in the replays of its graphs, where nothing tells them: by the order of
// their kernels (join/repeated_layers.h). A step of the program may replay many graphs, one for
// each piece of the model, as vLLM does: their kernels count as one sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/join/graph_works.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

class InferredLayers {
 public:
  InferredLayers(const Trace& trace, const GraphWorks& graphs, bool merge_modules,
                 ImportedStacks& stacks);

  // "[layer 07 of 32, inferred]", with merge_modules "[layer of 32, inferred]"; kNoNumber: the work
  // is in no layer. `work`: its place in trace.work.
  uint32_t frame_of(size_t work) const { return frames_.empty() ? kNoNumber : frames_[work]; }

 private:
  std::vector<uint32_t> frames_;  // by work
};

}  // namespace aiflame::trace
