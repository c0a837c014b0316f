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

[[gnu::no_sanitize_address]] inline uint64_t word_at(const char* at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
// One step of wyhash: sixteen bytes.
[[gnu::no_sanitize_address]] inline uint64_t hash_step(const char* at, uint64_t before) {
  return fold(word_at(at) ^ UINT64_C(0x8ebc6af09c88c6e3), word_at(at + 8) ^ before);
}

// The first `count` bytes, a multiple of 64, of a long content, such as Python's line tables. Four
// steps are under way at once, as each waits for the one before: a quarter of the time. A function
// of its own, for the little of the stack that a launch may take.
[[gnu::noinline, gnu::no_sanitize_address]] inline uint64_t hash_long(const char* at,
                                                                      uint64_t count,
                                                                      uint64_t seed) {
  // different constants, so that equal parts do not have equal hashes
  uint64_t lanes[4] = {seed, seed ^ UINT64_C(0x1d8e4e27c47d124f),
                       seed ^ UINT64_C(0xeb44accab455d165), seed ^ UINT64_C(0x9c6e6877736c46e3)};
  for (const char* end = at + count; at < end; at += 64)
    for (uint64_t lane = 0; lane < 4; ++lane) lanes[lane] = hash_step(at + 16 * lane, lanes[lane]);
  return mix(mix(mix(lanes[0], lanes[1]) + 1, lanes[2]) + 2, lanes[3]);
}

// Sixteen bytes at a time; the last sixteen may overlap those before.
// Not instrumented, as a sanitizer may have marked the program's bytes.
[[gnu::no_sanitize_address]] inline uint64_t hash_bytes(const void* bytes, uint64_t count) {
  const auto half_word = [](const char* at) {
    uint32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return uint64_t{value};
  };
  const auto* at = static_cast<const char*>(bytes);
  const auto byte = [&](uint64_t i) { return uint64_t{static_cast<unsigned char>(at[i])}; };
  const uint64_t seed = mix(count, 0);
  uint64_t hash = seed, first = 0, last = 0;
  if (count >= 16) {
    uint64_t i = (count - 1) / 64 * 64;
    if (i > 0) hash = hash_long(at, i, seed);
    for (; i + 16 < count; i += 16) hash = hash_step(at + i, hash);
    first = word_at(at + count - 16);
    last = word_at(at + count - 8);
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
