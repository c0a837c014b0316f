// SPDX-License-Identifier: MIT
// Instructions of Intel GPUs as IGA prints them (pure): `iga64 -d -Xprint-pc`, one a line.
//
//   /* [0158]  */ (W)     mul (1|M0)   acc0.0<1>:d   r4.4<0;1,0>:d   r0.12<0;1,0>:uw  {A@1,$2.dst}
//   /* [0060]  */ (W)     send.ugm (1|M0)   r1   r127   null:0  0x0  0x6228E500  {A@1,$0} // load…
//   /* [01D0]  */ (W&f0.0) jmpi                                L504
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

struct IgaInstruction {
  uint32_t offset = 0;   // from the start of the code
  std::string mnemonic;  // `send.ugm`; empty where the disassembler cannot tell
  // Tokens of the software scoreboard ($0 … $31), a bit each: the one that is in use until this
  // instruction is done, and those that it waits for: until all is done (.dst), or until operands
  // have been read (.src).
  uint32_t sets = 0, waits_done = 0, waits_read = 0;
  bool waits_for_all = false;     // of whatever is in use: sync.allwr, sync.allrd
  std::vector<uint32_t> targets;  // offsets it may go to instead of the next instruction
  bool falls_through = true;      // it may go on with that

  uint32_t waits() const { return waits_done | waits_read; }
};

// By offset. Lines that are none are left out, so is what stands at an offset a second time.
std::vector<IgaInstruction> parse_iga_listing(std::string_view listing);

// The instruction that holds an offset, or nullptr.
const IgaInstruction* instruction_at(const std::vector<IgaInstruction>& code, uint64_t offset);

}  // namespace aiflame
