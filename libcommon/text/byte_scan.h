// SPDX-License-Identifier: MIT
// Searches text many bytes at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aiflame {

// Loads up to eight bytes, the first one lowest.
inline uint64_t load_bytes(const char* at, size_t size) {
  uint64_t word = 0;
  if (size >= sizeof word) [[likely]]
    std::memcpy(&word, at, sizeof word);  // a constant: one instruction
  else if (size > 0)                      // an empty text may be null
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
// The index of the first byte found, in a result of bytes_that_are().
inline size_t first_of(uint64_t found) {
  return static_cast<size_t>(std::countr_zero(found)) / 8;
}

// A mask of 64 bytes: a bit is set where the byte is `c`; the first byte's bit is the lowest.
inline uint64_t places_in_64(char c, const char* at) {
  uint64_t places = 0;
#ifdef __SSE2__
  for (size_t i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
    places |= static_cast<uint64_t>(static_cast<unsigned>(found)) << (16 * i);
  }
#else
  for (size_t i = 0; i < 8; ++i) {
    // the factor moves the lowest bit of each byte into the highest byte
    const uint64_t found = bytes_that_are(c, load_bytes(at + 8 * i, 8)) >> 7;
    places |= (found * 0x0102040810204080) >> 56 << (8 * i);
  }
#endif
  return places;
}

// Calls body(position) for each `c` in `text`, from position `begin` on.
template <typename Body>
void each_place(char c, std::string_view text, size_t begin, Body body) {
  const auto each = [&](uint64_t places, size_t first) {
    for (; places != 0; places &= places - 1)
      body(first + static_cast<size_t>(std::countr_zero(places)));
  };
  for (; begin + 64 <= text.size(); begin += 64) each(places_in_64(c, text.data() + begin), begin);
  if (begin < text.size() &&
      text.size() >= 64) {  // shifts out the bytes that were searched already
    const size_t left = text.size() - begin;
    each(places_in_64(c, text.data() + text.size() - 64) >> (64 - left), begin);
    return;
  }
  for (; begin < text.size(); ++begin)
    if (text[begin] == c) body(begin);
}

// The length of the common prefix of two texts.
inline size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
#ifdef __SSE2__
  const auto same = [&](size_t at) {
    const auto load = [at](std::string_view text) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    };
    return _mm_cmpeq_epi8(load(a), load(b));
  };
  for (; i + 64 <= size; i += 64)
    if (_mm_movemask_epi8(_mm_and_si128(_mm_and_si128(same(i), same(i + 16)),
                                        _mm_and_si128(same(i + 32), same(i + 48)))) != 0xffff)
      break;
  for (; i + 16 <= size; i += 16)
    if (_mm_movemask_epi8(same(i)) != 0xffff) break;
#endif
  for (; i + 8 <= size; i += 8)
    if (const uint64_t differ = load_bytes(a.data() + i, 8) ^ load_bytes(b.data() + i, 8);
        differ != 0)
      return i + first_of(differ);
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace aiflame
