// SPDX-License-Identifier: MIT
// Finds where the code in a device's ELF file lies on the device. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::record {

// A section of code: one kernel, or the code that a module's kernels share.
struct CodeSection {
  struct Function {
    uint64_t address = 0, bytes = 0;
    std::string name;
  };
  uint64_t address = 0, bytes = 0;  // on the device
  uint64_t file_offset = 0;
  std::string kernel;               // "" = code that kernels share
  std::vector<Function> functions;  // from the symbol table; sorted
};

// The sections .text.KERNEL of the ELF file `object` (Intel's zebin, NVIDIA's cubin: ELF64
// little-endian), sorted by address. Without `base`, the file has the addresses: sections without
// one are left out, and the sign extension that the driver gives to addresses in the upper half is
// removed, so that 48 bits are left. With `base`, the file has no addresses, and a section lies at
// base + its offset in the file. `object` is untrusted: every offset in it is checked, and a file
// of another kind has no sections. `is_cut` is set when the file has so many functions or names
// that some are left out.
std::vector<CodeSection> read_code_sections(std::string_view object, uint64_t base = 0,
                                            bool* is_cut = nullptr);

}  // namespace aiflame::record
