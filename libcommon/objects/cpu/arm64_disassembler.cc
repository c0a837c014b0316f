// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/arm64_disassembler.h"

#include <cstdint>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

const LlvmTarget& target() {
  // the processor with the most instructions, SVE2 among them, that LLVM 12 and later know
  static const LlvmTarget kTarget = {"aarch64-unknown-linux-gnu", "neoverse-n2"};
  return kTarget;
}

// Bits 25 to 28 of an instruction are its group (Arm ARM, C4.1); 0010 is SVE.
bool is_sve(std::string_view bytes) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return (word >> 25 & 0xf) == 2;
}

}  // namespace

LlvmInstruction Arm64Disassembler::instruction(std::string_view bytes, uint64_t address) {
  if (bytes.size() < kBytes) return {{"", Unnamed::undecodable}, "", 0};
  bytes = bytes.substr(0, kBytes);
  const Capstone::Instruction it = capstone_.instruction(bytes, address);
  if (it.size > 0) return {{it.mnemonic, Unnamed::no}, it.operands, it.size};
  // what both do not know is data, mostly: no reason to warn
  if (capstone_.is_there() && !is_sve(bytes)) return {{"", Unnamed::undecodable}, "", 0};
  const LlvmInstruction& out = llvm_.instruction(target(), bytes);
  if (llvm_.unnamed(target()) != Unnamed::no) warn_without_llvm(out.mnemonic.unnamed);
  return out;
}

void Arm64Disassembler::warn_without_llvm(Unnamed reason) {
  if (warned_) return;
  warned_ = true;
  if (reason != Unnamed::no_disassembler) {
    warn("instructions of SVE are not named: LLVM fails to disassemble them");
    return;
  }
  warn("instructions%s are not named: libLLVM is not installed",
       capstone_.is_there() ? " of SVE" : "");
  hint("Debian has it in the package libllvm15");
}

}  // namespace aiflame
