// SPDX-License-Identifier: MIT
// What registers an instruction of an NVIDIA GPU (since sm_70) reads and writes, and what it is, by
// its 16 bytes alone (pure). sass_control.h has the fields that do not name operands.
//
//   0x0000000702047223 0x000fca0000000000       FFMA R4, R2, R7, R0
//                  ^^^ low 0-8    the operation, FFMA; 9-11 the form of its operands, 1
//                 ^    low 12-15  the predicate that guards it
//               ^^     low 16-23  the destination; 255 = RZ, nothing
//             ^^       low 24-31  the first source
//   ^^^^^^^^           low 32-63  the second one, by its form: a register in 32-39, a constant's
//                                 place, or 32 bits of a number
//                             ^^  high 0-7: the third one
//                  ^^^^           high 17-19, 20-22: predicates that are written; 23-26, 13-16:
//                                 predicates that are read, the upper bit negates; 7 = always
//
// In form 1 all sources are registers. In 2, 3 and 7 the third one is in 32-63, as a number, a
// constant or a uniform register, and the second one in high 0-7; in 4, 5 and 6 the second one is.
// Which sources an operation has is in a table: fields that it has not may hold anything. The table
// was found with code of nvcc 13.0 and of CUDA 13.0's libraries for sm_75 to sm_121, where next to
// no register is read that nothing has written before, nor one written that nothing reads; not
// compared with nvdisasm (sass_registers_test.cc).
#pragma once

#include "libcommon/code/code_flow.h"
#include "libcommon/objects/nvidia/sass_control.h"

namespace aiflame {

// Registers are RegisterKind::general (R0 = 0), `uniform` (UR0 = 0), and `predicate` (P0 = 0,
// UP0 = 8).
RegisterUse sass_registers(const SassWord& word, unsigned architecture);

Operation sass_operation_kind(const SassWord& word, unsigned architecture);

}  // namespace aiflame
