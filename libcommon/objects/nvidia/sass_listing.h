// SPDX-License-Identifier: MIT
// Reads the instructions of NVIDIA GPUs as nvdisasm prints them (pure):
//
//         /*0030*/              @!P0 EXIT ;
//         /*0040*/                   IMAD.WIDE.U32 R2, R0, 0x4, R2 ;
//         /*0050*/                   BRA `(.L_x_0);
//
// Lines that do not begin with an offset are labels, directives and, with -hex, the second half of
// an encoding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

struct SassInstruction {
  std::string mnemonic;  // "LDG.E.64"; empty where the listing has none
  std::string operands;  // "R2, desc[UR4][R2.64]"
  std::string guard;     // "@!P0"

  bool operator==(const SassInstruction&) const = default;
};

// The first `instructions` instructions of 16 bytes, by position. An empty vector where the listing
// has none at all. Ignores offsets beyond them, and offsets inside an instruction.
std::vector<SassInstruction> parse_sass_listing(std::string_view listing, size_t instructions);

}  // namespace aiflame
