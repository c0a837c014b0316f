// SPDX-License-Identifier: MIT
// What registers an instruction of an Intel GPU reads and writes, and what it is, by IGA's text
// (pure). The regions of operands are in Intel's manuals ("Register Region Restrictions"), what a
// send reads and writes in its descriptor, the last number: registers read in bits 25-28, written
// in 20-24.
//
//   add (16|M0)   r16.0<1>:q   r50.0<1;1,0>:q   r4.3<0;1,0>:q      16 channels, reads r50-51 and
//                                                  8 bytes of r4, where a register has 64
//   (W&f0.0) sel (8|M0)  r5.0<1>:f  -r6.0<2;1,0>:f  (abs)r7.0<1;1,0>:f
//   cmp (32|M0)   (gt)f0.0   null<1>:d   r4.12<0;1,0>:d   0:w      writes f0.0 and f0.1
//   mad (32|M0)   acc0.0<1>:f   r38.0<1;0>:f   r12.0<1;0>:f   r6.0<1>:f
//   dpas.8x8 (16|M0)   r10:f   r10:f   r40:bf   r20.0:bf
//   send.ugm (32|M0)   r19   r14   null:0   0x0   0x08200580       reads r14-17, writes r19-20
//   send.slm (32|M0)   null  r126  r26:2    0x0   0x04000504       reads r126-127 and r26-27
//
// Channels that are switched off keep what was there. An instruction counts as writing all of them
// all the same, unless it has a predicate: on the way that a channel takes, it is on.
#pragma once

#include "libcommon/code/code_flow.h"
#include "libcommon/objects/intel/iga_listing.h"

namespace aiflame {

// Registers are bytes: RegisterKind::general (r1 begins at `register_size`), `accumulator`
// likewise, `address` (a0); and `flags` of 16 bits: f0.0 = 0, f0.1 = 1, f1.0 = 2.
// `register_size`: of the platform, in bytes.
RegisterUse eu_registers(const IgaInstruction& instruction, unsigned register_size);

Operation eu_operation(const IgaInstruction& instruction);

// 64 since Xe-HPC and Xe2, else 32. `platform` is Zebin::platform().
unsigned eu_register_size(std::string_view platform);

}  // namespace aiflame
