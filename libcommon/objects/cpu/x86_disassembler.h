// SPDX-License-Identifier: MIT
// Names x86-64 instructions: by Capstone, which is fast, and by LLVM what Capstone 4 does not know.
#pragma once

#include <string_view>
#include <utility>

#include "libcommon/objects/cpu/capstone.h"
#include "libcommon/objects/llvm/llvm_disassembler.h"
#include "libcommon/objects/mnemonic.h"

namespace aiflame {

class X86Disassembler {
 public:
  // An x86-64 instruction has at most 15 bytes.
  static constexpr size_t kLongest = 15;

  X86Disassembler() = default;
  // With another LLVM, for tests.
  explicit X86Disassembler(LlvmDisassembler::Prepare llvm) : llvm_(std::move(llvm)) {}

  // The first instruction in `bytes`. Warns once where LLVM is missing and would have known it.
  Mnemonic name(std::string_view bytes) { return instruction(bytes, 0).mnemonic; }
  // All of it. `address` is what targets of jumps are printed relative to.
  LlvmInstruction instruction(std::string_view bytes, uint64_t address);

 private:
  void warn_without_llvm(Unnamed reason);

  Capstone capstone_;
  LlvmDisassembler llvm_;
  bool warned_ = false;
};

}  // namespace aiflame
