// SPDX-License-Identifier: MIT
// The stack at which each kernel of a graph's replays was captured, by the order and the names of
// the kernels: see graph_alignment.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/captures.h"
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
          ImportedStacks& stacks);

  // kNoNumber: no replay's, or its launch is not known. `work`: its place in trace.work.
  uint32_t stack_of(size_t work) const { return stacks_.empty() ? kNoNumber : stacks_[work]; }

  // "11 of 15 kernels of graphs stand on their captures; replays: 1 by position and name, …"; empty
  // without captures or without replays.
  std::string line() const;

 private:
  std::vector<uint32_t> stacks_;           // by work
  size_t replays_[kGraphAlignments] = {};  // by quality
  size_t kernels_ = 0, matched_ = 0;
};

// The stack on which a kernel was captured, on top of `stack`, from the frame on where it parts
// with the host's stack of the replay.
uint32_t add_captured(uint32_t stack, uint32_t captured, uint32_t replay, ImportedStacks& stacks);

}  // namespace aiflame::trace
