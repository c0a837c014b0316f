// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/x86_disassembler.h"

#include <string>

#include "libcommon/base/program.h"
#include "libcommon/objects/cpu/x86_flow.h"

namespace aiflame {
namespace {

const LlvmTarget& target() {
  static const LlvmTarget kTarget = {"x86_64-unknown-linux-gnu", ""};
  return kTarget;
}

// The first byte behind prefixes of segment and address size, or 0.
unsigned char first_byte(std::string_view bytes) {
  const size_t at = bytes.find_first_not_of("\x26\x2e\x36\x3e\x64\x65\x67");
  return at == std::string_view::npos ? 0 : static_cast<unsigned char>(bytes[at]);
}

constexpr unsigned char kEvex = 0x62, kVex2 = 0xc5, kVex3 = 0xc4;

}  // namespace

// Capstone 4 knows about half of the instructions of AVX-512 (EVEX), and says `vfmadd213ss` for
// `vfmadd213sd`, `vrcp14ss` for `vrcp14sd` and the like. Instructions on mask registers have VEX.
// Elsewhere both print the same, for all code of libc, but for `fcomip` (LLVM: `fcompi`) and
// `lock`, which LLVM takes for an instruction of its own.
LlvmInstruction X86Disassembler::instruction(std::string_view bytes, uint64_t address) {
  bytes = bytes.substr(0, kLongest);
  const auto by_capstone = [&] {
    Capstone::Instruction it = capstone_.instruction(bytes, address);
    return LlvmInstruction{{it.mnemonic, Unnamed::no}, it.operands, it.size};
  };
  const unsigned char first = first_byte(bytes);
  if (first != kEvex)
    if (LlvmInstruction it = by_capstone(); it.size > 0) return it;
  LlvmInstruction out = llvm_.instruction(target(), bytes);
  const Unnamed llvm = llvm_.unnamed(target());
  if (llvm == Unnamed::no) {
    const auto target = x86_target(out.mnemonic.name, out.operands, address + out.size);
    if (target) out.operands = format("0x%llx", static_cast<unsigned long long>(*target));
    return out;
  }
  if (LlvmInstruction it = by_capstone(); it.size > 0) return it;
  const bool is_vector = first == kEvex || first == kVex2 || first == kVex3;
  if (!is_vector && capstone_.is_there()) return {{"", Unnamed::undecodable}, "", 0};
  warn_without_llvm(out.mnemonic.unnamed);
  return out;
}

void X86Disassembler::warn_without_llvm(Unnamed reason) {
  if (warned_) return;
  warned_ = true;
  if (reason != Unnamed::no_disassembler) {
    warn("instructions of AVX-512 are not named: LLVM fails to disassemble them");
    return;
  }
  warn("instructions%s are not named: libLLVM is not installed",
       capstone_.is_there() ? " of AVX-512" : "");
  hint("Debian has it in the package libllvm15");
}

}  // namespace aiflame
