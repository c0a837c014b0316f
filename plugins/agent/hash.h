/* SPDX-License-Identifier: MIT
 *
 * The hashes by which the agents tell stacks and frames apart.
 */
#pragma once

#include <cstdint>
#include <cstring>

namespace aiflame::agent {

inline uint64_t mix(uint64_t hash, uint64_t value) {
  // one multiply-and-fold a word (wyhash's core step), constants with evenly mixed bits
  __extension__ using Wide = unsigned __int128;
  const Wide product =
      static_cast<Wide>(hash ^ value ^ UINT64_C(0xa0761d6478bd642f)) * UINT64_C(0xe7037ed1a0b428db);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Not instrumented: bytes of the program's, which a sanitizer may know something else of.
[[gnu::no_sanitize_address]] inline uint64_t hash_bytes(const void* bytes, uint64_t count) {
  uint64_t hash = count;
  for (const auto* at = static_cast<const char*>(bytes); count > 0;) {
    uint64_t word = 0;
    const uint64_t part = count < 8 ? count : 8;
    std::memcpy(&word, at, part);
    hash = mix(hash, word);
    at += part;
    count -= part;
  }
  return hash;
}

}  // namespace aiflame::agent
