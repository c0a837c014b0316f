// SPDX-License-Identifier: MIT
// The stack at which each kernel of a graph's replays was captured. The id of its node tells, where
// that is known (node_frames.h), else the order and the names of the kernels (graph_alignment.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/captures.h"
#include "tools/stackcollapse-trace/fold/node_frames.h"
#include "tools/stackcollapse-trace/join/graph_alignment.h"
#include "tools/stackcollapse-trace/join/graph_works.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// Stands on the launch of a graph, below what was captured.
inline constexpr std::string_view kCudaGraph = "[cuda graph]";

class Replays {
 public:
  // Among captures that agree alike, the first is taken.
  Replays(const Trace& trace, const GraphWorks& graphs, const std::vector<Capture>& captures,
          const NodeFrames& nodes, ImportedStacks& stacks);

  // Whether something is known of a work: its capture, or what the program had marked there.
  // `work`: its place in trace.work.
  bool knows(size_t work) const { return stack_of(work) != kNoNumber || nodes_.has_mark(work); }
  // Puts the stack of the capture on top of `stack`, from the frame on where it parts with
  // `replay`, the host's stack of the replay. Then follows what the program had marked.
  uint32_t add_captured(uint32_t stack, size_t work, uint32_t replay, ImportedStacks& stacks) const;

  // "11 of 15 kernels of graphs stand on their captures; replays: 1 by position and name, …"; empty
  // without captures or without replays.
  std::string line() const;

 private:
  // kNoNumber: no replay's, or its launch is not known.
  uint32_t stack_of(size_t work) const {
    const uint32_t exact = nodes_.functions_of(work);
    return exact != kNoNumber || stacks_.empty() ? exact : stacks_[work];
  }

  const NodeFrames& nodes_;
  std::vector<uint32_t> stacks_;           // by work
  size_t replays_[kGraphAlignments] = {};  // by quality
  size_t kernels_ = 0, matched_ = 0;
};

}  // namespace aiflame::trace
