/* SPDX-License-Identifier: MIT
 *
 * Finds the functions of a cubin in its file. Pure; nothing in the file is trusted.
 *
 * A cubin is an ELF file without device addresses: kernel K has a section .text.K, whose symbol K
 * has the value 0. Functions that were not inlined are further symbols in that section.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame::agent::cupti {

// A function's name, hashed, and its first byte in the file.
struct CubinFunction {
  uint64_t name_hash;
  uint64_t file_offset;
};

struct CubinFunctions {
  CubinFunction* sorted = nullptr;  // by name_hash; free(3) it
  uint32_t count = 0;

  // SIZE_MAX when there is none.
  uint64_t file_offset_of(const char* name) const;
  // By the hash of the name (hash_bytes()), to search many files.
  uint64_t file_offset_by(uint64_t name_hash) const;
};

// At most kMaxCubinFunctions; none if this is not a cubin, or without memory.
constexpr uint32_t kMaxCubinFunctions = 1 << 17;
CubinFunctions cubin_functions(const void* content, size_t bytes);

}  // namespace aiflame::agent::cupti
