/* SPDX-License-Identifier: MIT
 *
 * The hashes that identify stacks, frames and cubins.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// Folds the two halves of a product: each bit of the result depends on all bits of both.
inline uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t mix(uint64_t hash, uint64_t value) {
  // one multiply-and-fold per word (wyhash's core step), with constants of evenly mixed bits
  return fold(hash ^ value ^ UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db));
}

// Sixteen bytes at a time, which is one step of wyhash; the last sixteen may overlap those before.
// Of long ones, such as Python's line tables, four steps are under way at once, as each waits for
// the one before: a quarter of the time.
// Not instrumented, as a sanitizer may have marked the program's bytes.
[[gnu::no_sanitize_address]] inline uint64_t hash_bytes(const void* bytes, uint64_t count) {
  const auto word = [](const char* at) {
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
  };
  const auto half_word = [](const char* at) {
    uint32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return uint64_t{value};
  };
  const auto* at = static_cast<const char*>(bytes);
  const auto byte = [&](uint64_t i) { return uint64_t{static_cast<unsigned char>(at[i])}; };
  const uint64_t seed = mix(count, 0);
  uint64_t hash = seed, first = 0, last = 0;
  const auto step = [&](uint64_t i, uint64_t before) {
    return fold(word(at + i) ^ UINT64_C(0x8ebc6af09c88c6e3), word(at + i + 8) ^ before);
  };
  if (count >= 16) {
    uint64_t i = 0;
    if (count > 64) {
      // different constants, so that equal parts do not have equal hashes
      uint64_t lanes[4] = {seed, seed ^ UINT64_C(0x1d8e4e27c47d124f),
                           seed ^ UINT64_C(0xeb44accab455d165),
                           seed ^ UINT64_C(0x9c6e6877736c46e3)};
      for (; i + 64 < count; i += 64)
        for (uint64_t lane = 0; lane < 4; ++lane) lanes[lane] = step(i + 16 * lane, lanes[lane]);
      hash = mix(mix(mix(lanes[0], lanes[1]) + 1, lanes[2]) + 2, lanes[3]);
    }
    for (; i + 16 < count; i += 16) hash = step(i, hash);
    first = word(at + count - 16);
    last = word(at + count - 8);
  } else if (count >= 4) {
    const uint64_t middle = count / 8 * 4;
    first = half_word(at) << 32 | half_word(at + middle);
    last = half_word(at + count - 4) << 32 | half_word(at + count - 4 - middle);
  } else if (count > 0) {
    first = byte(0) << 16 | byte(count / 2) << 8 | byte(count - 1);
  }
  return mix(fold(first ^ UINT64_C(0x589965cc75374cc3), last ^ hash), seed);
}

}  // namespace aiflame::agent
