// SPDX-License-Identifier: MIT
// Finds what an s_waitcnt of an AMD GPU waits for (pure). Loads, stores and messages are counted
// while they are under way, each kind by a counter of its own; counter_search.h has the idea:
//
//   0x00   global_load_dword v4, v[2:3], off      vmcnt 1
//   0x08   global_load_dword v5, v[6:7], off      vmcnt 2
//   0x10   s_load_dword s0, s[4:5], 0x0           lgkmcnt 1
//   0x18   s_waitcnt vmcnt(1) lgkmcnt(0)          waits for 0x00 and 0x10
//
// Which instruction counts where is in the manuals of AMD's instruction sets ("Data dependency
// resolution") and in LLVM's SIInsertWaitcnts.cpp:
//
//           up to gfx9       gfx10, gfx11             gfx12
//   vmcnt   vector memory    its loads                its loads: s_wait_loadcnt, with samplecnt
//                                                     and bvhcnt for images
//   vscnt   -                its stores               s_wait_storecnt
//   lgkmcnt LDS, scalar memory, messages              LDS: s_wait_dscnt, the others: s_wait_kmcnt
//   expcnt  exports; since gfx11 also parameters and direct reads of LDS
//
// Vector memory and LDS end in the order in which they began. Scalar memory and messages do not,
// and neither do flat_*, which count on two counters: what counts them is known at 0 alone.
//
// A stall stands on the s_waitcnt, not on the instruction that reads the result. Calls end the
// search: by LLVM's convention, which ROCm has, a function waits for all that its caller has begun
// when it is entered, and for all that it has begun when it returns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/code/counter_search.h"
#include "libcommon/code/flow_graph.h"
#include "libcommon/objects/code_listing.h"

namespace aiflame {

enum class AmdCounter : uint8_t { load, store, lds, scalar, exports, sample, bvh };
inline constexpr size_t kAmdCounters = 7;

// What an instruction does to each counter. lgkmcnt is `lds`; `scalar` is gfx12's kmcnt.
struct AmdUse {
  uint8_t counts = 0;    // counters, a bit each
  bool in_order = true;  // on all of them
  std::array<uint8_t, kAmdCounters> leaves;

  AmdUse() { leaves.fill(CounterUse::kAny); }
  bool waits() const;
};

// `mnemonic` and `operands` as LLVM prints them; `generation`: 9 for gfx90a.
AmdUse amd_use(std::string_view mnemonic, std::string_view operands, unsigned generation);

// Where a branch leads, by its operand as LLVM prints it: the number of 4 bytes behind the next
// instruction, in 16 bits, which is at `next`. Nothing for other instructions.
//   s_cbranch_scc1 65533     leads 12 bytes back from there
std::optional<uint64_t> amd_jump(std::string_view mnemonic, std::string_view operands,
                                 uint64_t next);

// 9 of "gfx90a", 10 of "gfx1030", 12 of "gfx12-generic"; 0 of what is none.
unsigned amd_generation(std::string_view processor);

class AmdCode {
 public:
  // `code` is sorted by offset. The operand of a branch is its target, from the first instruction
  // on: `0x2c`.
  AmdCode(const std::vector<ListedInstruction>& code, unsigned generation);

  // What the instruction at `index` waits for, as ascending indices.
  std::vector<uint32_t> producers(uint32_t index) const;

  const FlowGraph& ways() const { return flow_; }

 private:
  std::vector<AmdUse> uses_;
  FlowGraph flow_;
};

}  // namespace aiflame
