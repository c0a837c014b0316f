// SPDX-License-Identifier: MIT
// What registers an instruction of an AMD GPU reads and writes, and what it is, by LLVM's text
// (pure). LLVM names each register, with its width; the first operand is the destination but for
// stores, comparisons of scalars, atomics that return nothing and the like:
//
//   v_div_scale_f64 v[16:17], vcc, v[10:11], v[8:9], v[10:11]      writes v16-17 and vcc
//   global_load_dwordx2 v[2:3], v[0:1], off
//   global_store_dword v0, v1, s[2:3] offset:16                    writes none
//   ds_add_rtn_u32 v1, v2, v3;   ds_add_u32 v2, v3
//   s_and_saveexec_b64 s[6:7], s[2:3]                              writes exec and scc, too
//
// Not named is SCC, which most scalar arithmetic writes. Vector instructions leave the lanes alone
// that exec switches off, and count as writing all of them all the same: where a lane comes along a
// way, it is on. So exec, whose reader every one of them is, is told only where it is named.
#pragma once

#include <string_view>

#include "libcommon/code/code_flow.h"

namespace aiflame {

// Registers are RegisterKind::general (v0 = 0), `accumulator` (a0 = 0), `uniform` (s0 = 0, vcc =
// 106, ttmp0 = 108, m0 = 124, exec = 126) and `flags` (SCC = 0). `mnemonic` and `operands` as LLVM
// prints them.
RegisterUse amd_registers(std::string_view mnemonic, std::string_view operands);

Operation amd_operation(std::string_view mnemonic);

}  // namespace aiflame
