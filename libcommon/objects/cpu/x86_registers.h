// SPDX-License-Identifier: MIT
// What registers an x86-64 instruction reads and writes, and what it is, by the text of Capstone
// (Intel's order: the destination first) or LLVM (AT&T's: it is last, and registers have a %)
// (pure).
//
//   mulss xmm0, dword ptr [rdi + 4*rax]     reads xmm0, rdi and rax; writes xmm0 and no more
//   vfmadd231ps ymm0, ymm1, ymm2            reads ymm0, too; VEX clears the rest of zmm0
//   vaddps %zmm0, %zmm1, %zmm2 {%k1}        keeps what k1 has not: reads zmm2
//   xor eax, eax                            is 0 whatever it was; clears the rest of rax
//   call 0x1234                             writes what a function need not keep (System V)
//
// push, pop, call and ret move rsp; that is left out, it is no value that is waited for. Nothing is
// known of memory: a load is where a chain goes on by the address.
#pragma once

#include <string_view>

#include "libcommon/code/code_flow.h"

namespace aiflame {

// Registers are RegisterKind::general in bytes (rax = 0, rcx = 8 … r15 = 120, zmm0 = 128, zmm1 =
// 192 …), `predicate` (k0 = 0) and `flags` (0).
RegisterUse x86_registers(std::string_view mnemonic, std::string_view operands);

Operation x86_operation(std::string_view mnemonic, std::string_view operands);

}  // namespace aiflame
