// SPDX-License-Identifier: MIT
// The debug information of a zebin that the compiler wrote, with its relocations applied, as an
// object that libdw reads.
#pragma once

#include <string>

#include "libcommon/device/intel/zebin.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

// An ELF object with the debug information alone. Code has the addresses that ElfFile gives an
// object without segments: offsets in `file`. Empty: there is none, or it cannot be relocated.
//
// As the compilers of 2022 and 2026 write them:
//  - R_ZE_SYM_ADDR (1) is 64 bits, R_ZE_SYM_ADDR_32 (2) is 32 bits: symbol plus addend. No other
//    type occurs in debug information.
//  - The symbols are of no use: that of a kernel's code stands in a section of debug information,
//    has the name of another section or none, and the value 0. So a relocated address counts from
//    the start of the kernel, of whichever kernel that is.
//  - Each kernel has a unit of its own, whose function has the name of the section.
//  - Ranges and locations count from the unit's first address and have no relocations.
std::string relocated_debug_information(const ElfFile& file, const Zebin& zebin);

}  // namespace aiflame
