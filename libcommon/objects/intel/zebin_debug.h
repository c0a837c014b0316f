// SPDX-License-Identifier: MIT
// Relocates the debug information of a zebin from the compiler, so that libdw can read it.
//
// A relocatable ELF object is linked by applying its relocations: each says "add the address of
// this symbol, and this addend, at that offset of a section". For most machines libdw does so by
// itself. For a zebin it cannot. Nor can we do it by the book, given what the compilers of 2022 and
// 2026 write:
//
//  - R_ZE_SYM_ADDR (1) means 64 bits, R_ZE_SYM_ADDR_32 (2) means 32 bits: symbol plus addend. No
//    other type occurs in debug information.
//  - The symbols are useless. The symbol for a kernel's code lies in a section of debug
//    information, has another section's name or none, and its value is 0. So a relocated address
//    is the addend alone: an offset from the start of a kernel, and the relocation does not say
//    from which kernel.
//
// Three more facts let us find the kernel:
//
//  - Each kernel has a compilation unit of its own, and the unit's function has the name of the
//    kernel's section.
//  - Each unit has a line table of its own, which ends where the next one begins.
//  - Ranges and locations count from the unit's first address and have no relocations.
//
// So this happens in two passes. The first one applies the addends alone, after which each unit's
// addresses begin at 0, and lets libdw list the units with their functions. The second one looks
// up where each unit's kernel lies in the file, and adds that offset to all relocated 64-bit
// addresses in the unit's part of .debug_info and in its line table. In the result an instruction
// has the address that ElfFile gives it in an object without segments: its offset in the file.
//
// A unit whose kernel is not in the object is moved to addresses that no file reaches, so that no
// other code gets its lines.
#pragma once

#include <string>

#include "libcommon/objects/intel/zebin.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

// The bytes of an ELF object with only the debug information of `file`. Addresses are offsets in
// `file`. Empty where there is no debug information.
std::string relocated_debug_information(const ElfFile& file, const Zebin& zebin);

}  // namespace aiflame
