// SPDX-License-Identifier: MIT
// The samples of folded text (folded(5)): the stacks of `stackcollapse-aiflame --gpu-frames
// kernel,line,mnemonic,reason,offset` name instructions, though not their code object.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "libcommon/folded/quantity.h"
#include "libcommon/io/input.h"

namespace aiflame::annotate {

// Whether an input is folded text with device frames, by its first bytes.
bool is_folded(std::string_view beginning);

// What a stack says of its instruction; empty where it does not.
struct FoldedCode {
  std::string kernel;    // empty: of no kernel
  std::string function;  // that the kernel calls, or that is inlined
  uint64_t offset = 0;   // from the start of the function
  std::string file, mnemonic, reason;
  uint32_t line = 0;
  bool exposed = false;  // its root is [exposed]
};

// Calls take() for each stack. Returns what the counts are. Throws Error("path:line: …") where a
// line is no stack, and where a stack of a kernel has no offset.
Quantity read_folded(ByteSource&& source,
                     const std::function<void(const FoldedCode& code, uint64_t count)>& take);

}  // namespace aiflame::annotate
