// SPDX-License-Identifier: MIT
// Finds what a wait for a counter waits for (pure). NVIDIA's scoreboards and AMD's waitcnt counters
// work alike: an instruction of unknown duration adds one to a counter when it is issued, and takes
// it away when its result is there. An instruction that needs the result waits until at most N are
// left:
//
//   0x70   LDG.E R2, [R4]        counts on scoreboard 0
//   0x80   LDG.E R3, [R4+4]      counts on scoreboard 0
//   0x90   FADD R2, R2, R3       waits until scoreboard 0 is at 0: for both
//
//   0x20   global_load_dword v1  counts on vmcnt
//   0x28   global_load_dword v2  counts on vmcnt
//   0x30   s_waitcnt vmcnt(1)    waits until one is left: for the first, since they end in order
//
// Which ones were issued depends on the way that the program took. So the search goes backwards
// along all ways, and keeps for each how many instructions it still passes over (the N youngest),
// and how many may still be under way at all: an earlier wait on the way has left only so many.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libcommon/code/flow_graph.h"

namespace aiflame {

// What an instruction does to a counter. It waits before it counts.
struct CounterUse {
  static constexpr uint8_t kAny = UINT8_MAX;
  uint8_t leaves = kAny;  // it waits until so many are left; kAny: it does not wait
  bool counts = false;
  bool in_order = true;  // what it counts ends after all that were counted before
};

// The instructions that the one at `index` may wait for where it waits until `leaves` are left, as
// ascending indices. Empty where those that count do not end in order, and one may be left.
std::vector<uint32_t> awaited(const FlowGraph& flow, uint32_t index, uint8_t leaves,
                              const std::function<CounterUse(uint32_t)>& use);

}  // namespace aiflame
