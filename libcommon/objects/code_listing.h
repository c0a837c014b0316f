// SPDX-License-Identifier: MIT
// All instructions of a function of device code, as its disassembler prints them: what an annotated
// listing shows, also where no sample stands. Targets of jumps in the operands are relative to the
// start of the function, wherever the disassembler allows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/objects/mnemonic.h"

namespace aiflame {

struct ListedInstruction {
  uint64_t offset = 0;  // in the object's file
  uint32_t size = 0;    // in bytes
  std::string
      mnemonic;  // as Mnemonic::name; empty where the bytes are no instruction that is known
  std::string
      operands;  // as the disassembler prints them, with blanks as single spaces; may be empty
  std::string guard = {};  // the predicate in front: "@!P0", "(W&f0.0)"; most have none
};

// The code of one function or kernel.
struct CodeListing {
  std::string symbol;  // its linkage name; empty where the object does not tell
  uint64_t begin = 0;  // offsets in the object's file
  uint64_t end = 0;
  std::vector<ListedInstruction> code;  // ascending, of [begin, end) without gaps
  Unnamed unnamed = Unnamed::no;        // why mnemonics are missing

  bool empty() const { return code.empty(); }
};

// The index of the instruction that begins at an offset in the object's file; `code` is ascending.
std::optional<uint32_t> index_of(const std::vector<ListedInstruction>& code, uint64_t offset);

// The same for the offset in an operand, from the first instruction on: `0x2c`.
std::optional<uint32_t> target_of(const std::vector<ListedInstruction>& code,
                                  std::string_view operand);

// Makes `code`, which is strictly ascending and has no sizes, cover [begin, end): each instruction
// reaches to the next one but has at most `longest` bytes, and unnamed ones fill what is left.
void cover(CodeListing& listing, uint32_t longest);

// `text` with each run of blanks as one space, and none at its ends.
std::string single_spaced(std::string_view text);

}  // namespace aiflame
