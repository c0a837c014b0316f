// SPDX-License-Identifier: MIT
// Reads the instructions of Intel GPUs as IGA prints them, one per line (pure). The program
// `iga64 -d -Xprint-pc` and iga_library.h write:
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
  std::string operands;  // `(1|M0) r1 r127 null:0 0x0 0x6228E500 {A@1,$0}`
  std::string guard;     // `(W&f0.0)`
  // Tokens of the software scoreboard ($0 … $31), a bit each; scoreboard.h explains them.
  uint32_t sets = 0;              // taken until this instruction is done ($4)
  uint32_t waits_done = 0;        // waits until the results are written ($4.dst)
  uint32_t waits_read = 0;        // waits until the operands are read ($4.src)
  bool waits_for_all = false;     // for all tokens in use: sync.allwr, sync.allrd
  std::vector<uint32_t> targets;  // offsets that it may jump to
  bool falls_through = true;      // whether the next instruction may follow

  uint32_t waits() const { return waits_done | waits_read; }
};

// The instructions, sorted by offset. Skips lines that are no instruction, and a second instruction
// at the same offset.
std::vector<IgaInstruction> parse_iga_listing(std::string_view listing);

// The operands with the offsets that it may jump to in hexadecimal, as all others are: 0x1f8 for
// L504.
std::string operands_in_hex(const IgaInstruction& instruction);

// The instruction that holds an offset, or nullptr.
const IgaInstruction* instruction_at(const std::vector<IgaInstruction>& code, uint64_t offset);

}  // namespace aiflame
