// SPDX-License-Identifier: MIT
// All instructions of a function of device code, as its disassembler prints them: what an annotated
// listing shows, also where no sample stands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/device/mnemonic.h"

namespace aiflame {

struct ListedInstruction {
  uint64_t offset = 0;  // in the object's file
  uint32_t size = 0;    // in bytes
  std::string
      mnemonic;  // as Mnemonic::name; empty where the bytes are no instruction that is known
  std::string
      operands;  // as the disassembler prints them, with blanks as single spaces; may be empty
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

}  // namespace aiflame
