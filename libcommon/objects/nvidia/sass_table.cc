// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_table.h"

#include <algorithm>
#include <iterator>

namespace aiflame::sass {
namespace {

constexpr auto kFast = Operation::arithmetic;
constexpr auto kSlow = Operation::slow_arithmetic;

constexpr Row kRows[] = {
    {0x002, b | d, kFast},                                  // MOV
    {0x005, d, kFast},                                      // CS2R
    {0x006, d | p81 | p87, kFast},                          // VOTE
    {0x007, a | b | d | p87, kFast},                        // SEL
    {0x008, a | b | d | p87, kFast},                        // FSEL
    {0x009, a | b | d | p87, kFast},                        // FMNMX
    {0x00b, a | b | p81 | p84 | p87, kFast},                // FSETP
    {0x00c, a | b | p81 | p84 | p87 | p68_if_72, kFast},    // ISETP
    {0x010, a | b | c | d | p81 | p84 | p87 | p77, kFast},  // IADD3
    {0x011, a | b | c | d | p81 | p87, kFast},              // LEA
    {0x012, a | b | c | d | p81 | p87, kFast},              // LOP3
    {0x013, b | d, kFast},                                  // IABS
    {0x016, a | b | c | d, kFast},                          // PRMT
    {0x017, a | b | d | p87, kFast, 0, 99},                 // IMNMX
    {0x017, a | b | d | p81 | p84 | p87 | p77, kFast, 100},
    {0x019, a | b | c | d, kFast},                              // SHF
    {0x01a, a | b | d, kFast},                                  // SGXT
    {0x01b, a | b | d, kFast},                                  // BMSK
    {0x01c, p81 | p84 | p87 | p77 | p68, kFast},                // PLOP3
    {0x020, a | b | d, kFast},                                  // FMUL
    {0x021, a | flexible | d, kFast},                           // FADD
    {0x023, a | b | c | d, kFast},                              // FFMA
    {0x024, a | b | c | d | p81 | p87, kFast},                  // IMAD
    {0x025, a | b | c | c2 | d | d2 | p81 | p87, kFast},        // IMAD.WIDE
    {0x026, a | b | c | d, kFast},                              // IDP
    {0x027, a | b | c | c2 | d | p81 | p87, kFast},             // IMAD.HI
    {0x028, a | b | d | pairs, kSlow},                          // DMUL
    {0x029, a | c | d | pairs, kSlow},                          // DADD
    {0x02a, a | flexible | pairs | p81 | p84 | p87, kSlow},     // DSETP
    {0x02b, a | b | c | d | pairs, kSlow},                      // DFMA
    {0x030, a | flexible | d, kFast},                           // HADD2
    {0x031, a | b | c | d, kFast},                              // HFMA2
    {0x032, a | b | d, kFast},                                  // HMUL2
    {0x033, a | flexible | d | p87, kFast},                     // HSET2
    {0x034, a | flexible | p81 | p84 | p87, kFast},             // HSETP2
    {0x035, a | b | c | d, kFast, 0, 99},                       // HFMA2.MMA
    {0x035, a | b | d | pairs | p81 | p87, kFast, 100},         // IADD.64
    {0x036, a | b | d, kFast},                                  // VIADD
    {0x03e, a | b | c | d, kFast},                              // F2FP
    {0x040, a | b | d | p87, kFast},                            // HMNMX2
    {0x045, b | d, kFast},                                      // I2FP
    {0x046, a | b | c | d | p87, kFast},                        // VIADDMNMX
    {0x048, a | b | d | p81 | p84 | p87, kFast},                // VIMNMX
    {0x04a, a | b | d | u | p81 | p84 | p87, kFast},            // UVIMNMX
    {0x082, b | d | u, kFast},                                  // UMOV
    {0x086, d | u | p81 | p87 | not_p, kFast},                  // VOTEU
    {0x087, a | b | d | u | p87, kFast},                        // USEL
    {0x08c, a | b | u | p81 | p84 | p87 | p68_if_72, kFast},    // UISETP
    {0x090, a | b | c | d | u | p81 | p84 | p87 | p77, kFast},  // UIADD3
    {0x091, a | b | c | d | u | p81 | p87, kFast},              // ULEA
    {0x092, a | b | c | d | u | p81 | p87, kFast},              // ULOP3
    {0x096, a | b | c | d | u, kFast},                          // UPRMT
    {0x099, a | b | c | d | u, kFast},                          // USHF
    {0x09a, a | b | d | u, kFast},                              // USGXT
    {0x09b, a | b | d | u, kFast},                              // UBMSK
    {0x09c, u | p81 | p84 | p87 | p77 | p68, kFast},            // UPLOP3
    {0x097, a | b | d | u | pairs, kFast},                      // UIADD.64
    {0x0a4, a | b | c | d | u | p81 | p87, kFast},              // UIMAD
    {0x0a5, a | b | c | c2 | d | d2 | u | p81 | p87, kFast},    // UIMAD.WIDE
    {0x0bd, b | d | u | p81, kSlow},                            // UFLO
    {0x0bf, b | d | u, kSlow},                                  // UPOPC
    {0x0ca, a | d | to_uniform | p81, kFast},                   // R2UR
    {0x0cb, d | to_uniform, kFast},                             // CS2UR
    {0x100, b | d | p81, kSlow},                                // FLO
    {0x101, b | d, kSlow},                                      // BREV
    {0x102, a | b | p81, kSlow},                                // FCHK
    {0x104, b | d | sizes, kSlow},                              // F2F
    {0x105, b | d | sizes, kSlow},                              // F2I
    {0x106, b | d | sizes, kSlow},                              // I2F
    {0x107, b | d | sizes, kSlow},                              // FRND
    {0x108, b | d, kSlow},                                      // MUFU
    {0x109, b | d, kSlow},                                      // POPC
    {0x110, b | d | sizes, kSlow},                              // F2F
    {0x111, b | d | sizes, kSlow},                              // F2I
    {0x112, b | d | sizes, kSlow},                              // I2F
    {0x113, b | d | sizes, kSlow},                              // FRND
    {0x118, 0, kFast},                                          // NOP
    {0x119, d, kSlow},                                          // S2R
    {0x11a, 0, Operation::control},                             // DEPBAR
    {0x11b, p87, Operation::control},                           // ENDCOLLECTIVE
    {0x11c, d | p81, Operation::control},                       // B2R
    {0x141, p87, Operation::control},                           // BSYNC
    {0x142, p87, Operation::control},                           // BREAK
    {0x145, p87, Operation::control},                           // BSSY
    {0x146, p87, Operation::control},                           // YIELD
    {0x14d, p87, Operation::control},                           // EXIT
    {0x15d, b | p87, Operation::control},                       // NANOSLEEP
    {0x192, 0, Operation::barrier},                             // MEMBAR
    {0x03a, a | d, kSlow},                                      // MOVM
    {0x1a1, a | d | p81, kSlow},                                // MATCH
    {0x1ab, 0, Operation::barrier},                             // ERRBAR
    {0x1af, 0, Operation::control},                             // LDGDEPBAR
    {0x1c2, a | d | to_uniform | p81, kSlow},                   // R2UR
    {0x1c3, d | to_uniform, kSlow},                             // S2UR
    {0x1c4, a | d | to_uniform, kSlow},                         // REDUX
};

constexpr Memory kMemory[] = {
    {0x180, Memory::load, true, Operation::load},            // LD
    {0x181, Memory::load, true, Operation::load},            // LDG
    {0x182, Memory::load, false, Operation::constant_load},  // LDC
    {0x183, Memory::load, false, Operation::load},           // LDL: in device memory
    {0x184, Memory::load, false, Operation::local_load},     // LDS
    {0x185, Memory::store, true, Operation::store},          // ST
    {0x186, Memory::store, true, Operation::store},          // STG
    {0x187, Memory::store, false, Operation::store},         // STL
    {0x188, Memory::store, false, Operation::local_store},   // STS
    {0x18a, Memory::atomic, true, Operation::atomic},        // ATOM
    {0x18b, Memory::swap, true, Operation::atomic},          // ATOM.CAS
    {0x18c, Memory::atomic, false, Operation::atomic},       // ATOMS
    {0x18d, Memory::swap, false, Operation::atomic},         // ATOMS.CAS
    {0x18e, Memory::store, true, Operation::atomic},         // RED
    {0x1a8, Memory::atomic, true, Operation::atomic},        // ATOMG
    {0x1a9, Memory::swap, true, Operation::atomic},          // ATOMG.CAS
    {0x1ae, Memory::copy, true, Operation::load},            // LDGSTS
};

}  // namespace

const Row* row_of(unsigned kind, unsigned architecture) {
  const Row* found = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& each) {
    return each.kind == kind && each.from <= architecture && architecture <= each.to;
  });
  return found == std::end(kRows) ? nullptr : found;
}

const Memory* memory_of(unsigned kind) {
  const Memory* found = std::find_if(std::begin(kMemory), std::end(kMemory),
                                     [&](const Memory& each) { return each.kind == kind; });
  return found == std::end(kMemory) ? nullptr : found;
}

}  // namespace aiflame::sass
