// SPDX-License-Identifier: MIT
// Finds the operator of the forward pass that an operator of the backward pass belongs to.
//
// PyTorch numbers the operators that autograd follows: "Sequence number". The backward operator has
// the same number, and the thread of the forward one in "Fwd thread id". Several operators of the
// forward pass share a number, each inside of the one before it (conv2d, convolution); the last of
// them made the autograd function. Arrows "fwdbwd" say the same for some operators.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

class Backward {
 public:
  // Sorts the arrows of the trace.
  Backward(Trace& trace, const Nesting& nesting);

  // The forward operator of an operator, or kNoNumber.
  uint32_t forward_of(uint32_t slice) const;

 private:
  uint32_t by_sequence(const Slice& slice) const;
  uint32_t by_flow(const Slice& slice) const;

  const Trace& trace_;
  const Nesting& nesting_;
  std::vector<uint32_t> forward_;  // operators of the forward pass by sequence number and time
};

}  // namespace aiflame::trace
