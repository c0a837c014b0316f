// SPDX-License-Identifier: MIT
// Finds what an instruction of an Intel GPU waits for (pure).
//
// A CPU tracks in hardware which results are still missing. An Intel GPU leaves that to the
// compiler ("software scoreboard", SWSB). An instruction of unknown duration (a send to memory, a
// dpas on the matrix unit, a math function) takes one of 32 tokens until it is done. An instruction
// that needs the result names the token, and the hardware holds it back:
//
//   0x70   send.ugm   r10  r4  ...  {$4}          takes token 4: "the producer"
//   0x80   add        r20  r20  1:d               needs nothing
//   0x90   mul        r12  r10  r11  {$4.dst}     waits until the send has written r10
//   0xa0   mov        r4   0:d       {$4.src}     waits until the send has read r4
//
// A stall sample with reason `sbid` at 0x90 says that the thread waited for a token, but the time
// was spent by 0x70, often far away and in another source line. The token in {$4.dst} tells which
// instruction that was: the last one that took token 4 before 0x90 was reached.
//
// "The last one" depends on the way that the program took. So the search goes backwards from the
// waiting instruction along all ways that lead to it, from each instruction to the one above it, if
// that falls through, and to all that jump to it. On each way it follows the tokens that are still
// wanted, and a token ends where an instruction takes it. In a loop the producer may stand below
// its consumer. Several answers are common: one load before a loop and one at its end, for the next
// round.
//
// Two cases need care:
//  - A barrier (sync.allwr) waits for all tokens. Then a token that another instruction has waited
//    for on the way is free again: it is not followed any further.
//  - An instruction that takes a token without waiting for one waits, if at all, until the token is
//    free. Then its producers are those that held the same token before. Behind an instruction that
//    waits for the result ({$4.dst}) the token is free, and the search ends. In a loop that waits
//    for each of its sends, no send waits for the one of the round before.
//
// Each instruction is visited again only with tokens it was not visited with before, at most 32
// times, and kMaxSteps bounds what hostile code can make of that.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/code/flow_graph.h"
#include "libcommon/objects/intel/iga_listing.h"

namespace aiflame {

class Scoreboard {
 public:
  // `code` is sorted by offset and outlives this.
  explicit Scoreboard(const std::vector<IgaInstruction>& code);

  // The instructions whose results instruction `index` may wait for, as ascending indices.
  std::vector<uint32_t> producers(uint32_t index) const;

  const FlowGraph& ways() const { return flow_; }

 private:
  const std::vector<IgaInstruction>& code_;
  FlowGraph flow_;
};

}  // namespace aiflame
