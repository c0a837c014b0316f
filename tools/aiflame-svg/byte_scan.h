// SPDX-License-Identifier: MIT
// Eight bytes of text at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace aiflame {

// The first byte lowest, as many as there are, up to eight.
inline uint64_t load_bytes(const char* at, size_t size) {
  uint64_t word = 0;
  if (size >= sizeof word) [[likely]]
    std::memcpy(&word, at, sizeof word);  // a constant: one instruction
  else
    std::memcpy(&word, at, size);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline constexpr uint64_t kEachByte = 0x0101010101010101;

// 0x80 in each byte of `word` that is `c`.
inline uint64_t bytes_that_are(char c, uint64_t word) {
  constexpr uint64_t kLow = kEachByte * 0x7f;
  const uint64_t x = word ^ (kEachByte * static_cast<unsigned char>(c));
  return ~(((x & kLow) + kLow) | x | kLow);
}
// How many, of what bytes_that_are() gives, and which is the first.
inline unsigned how_many(uint64_t found) {
  return static_cast<unsigned>(((found >> 7) * kEachByte) >> 56);
}
inline size_t first_of(uint64_t found) {
  return static_cast<size_t>(std::countr_zero(found)) / 8;
}

// How many bytes two texts have in common at their front.
inline size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i + 8 <= size; i += 8)
    if (const uint64_t differ = load_bytes(a.data() + i, 8) ^ load_bytes(b.data() + i, 8);
        differ != 0)
      return i + first_of(differ);
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace aiflame
