// SPDX-License-Identifier: MIT
// Names AArch64 instructions: by Capstone, which is fast, and by LLVM what Capstone 4 does not
// know: the vectors of SVE, which Grace has.
#pragma once

#include <string_view>
#include <utility>

#include "libcommon/objects/cpu/capstone.h"
#include "libcommon/objects/llvm/llvm_disassembler.h"
#include "libcommon/objects/mnemonic.h"

namespace aiflame {

class Arm64Disassembler {
 public:
  static constexpr size_t kBytes = 4;  // of each instruction

  Arm64Disassembler() = default;
  // With another LLVM, for tests.
  explicit Arm64Disassembler(LlvmDisassembler::Prepare llvm) : llvm_(std::move(llvm)) {}

  // The first instruction in `bytes`. `address` is what targets of branches are printed relative
  // to. Warns once where LLVM is missing and would be asked.
  LlvmInstruction instruction(std::string_view bytes, uint64_t address);

 private:
  void warn_without_llvm(Unnamed reason);

  Capstone capstone_{Capstone::Machine::aarch64};
  LlvmDisassembler llvm_;
  bool warned_ = false;
};

}  // namespace aiflame
