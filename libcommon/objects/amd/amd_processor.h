// SPDX-License-Identifier: MIT
// The processor that an AMD code object is for (pure).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aiflame {

// By the flags in the ELF header: LLVM's name of the processor (`gfx90a`), and behind it older ones
// with the same instructions, for an LLVM that does not know it. Empty: not known.
std::vector<std::string> amd_processors(uint32_t elf_flags);

}  // namespace aiflame
