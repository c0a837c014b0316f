// SPDX-License-Identifier: MIT
// The ways through x86-64 code, from its listing (pure).
//
//   0x00  test  edi, edi
//   0x02  je    0xc        to 0x0c, or below
//   0x04  call  rax        below, once it has returned
//   0x06  jmp   rdx        where it leads is not known
//   0x08  ret              nothing follows
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/code/flow_graph.h"
#include "libcommon/objects/code_listing.h"

namespace aiflame {

// The operand of a jump is its target, from the first instruction on: `0x2c`.
Flow x86_flow(const std::vector<ListedInstruction>& code);

// Where a jump or call leads, by its operand as LLVM prints it: the distance from the next
// instruction, which is at `next`. Nothing for other instructions and other operands.
//   jne -7     leads 7 bytes back from there
std::optional<uint64_t> x86_target(std::string_view mnemonic, std::string_view operands,
                                   uint64_t next);

}  // namespace aiflame
