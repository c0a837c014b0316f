// SPDX-License-Identifier: MIT
// The natural loops of device code (pure). A jump back to an instruction that dominates it
// (dominators.h) makes a loop; that instruction is its head. The loop's members are the head, and
// all from which a way leads to the jump without going over the head:
//
//   0x00  mov   r1, 0
//   0x10  load  r2, [r1]     head; member
//   0x20  add   r1, r1, 4    member
//   0x30  jump  0x10 if …    jumps back; member
//   0x40  end
//
// Jumps back to the same head are one loop. Two loops are apart, or one holds the other. Where code
// is also entered behind the head (by a jump into the middle), there is no loop. Nor is the jump to
// itself one that NVIDIA's compiler puts behind the end of a function.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/code/flow_graph.h"

namespace aiflame {

struct Loop {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t head = 0;                 // an instruction
  uint32_t parent = kNone;           // the innermost loop around it
  std::vector<uint32_t> back_jumps;  // the instructions that lead back to the head, ascending
};

struct Loops {
  std::vector<Loop> all;            // each behind the loops in it
  std::vector<uint32_t> innermost;  // by instruction: a loop, or Loop::kNone
};

Loops find_loops(const FlowGraph& ways);

}  // namespace aiflame
