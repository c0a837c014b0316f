// SPDX-License-Identifier: MIT
// Searches in the bytes of JSON, sixteen at a time. A search ends at a NUL at the latest: one must
// stand behind the bytes, and kJsonPadding bytes that may be read, from that NUL on.
#pragma once

#include <bit>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aiflame {

inline constexpr size_t kJsonPadding = 16;

#ifdef __SSE2__
// A bit is set for each of the 16 bytes that the search passes over.
template <typename Passes>
const char* skip_sixteens(const char* at, Passes passes) {
  for (;; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto others = ~static_cast<unsigned>(_mm_movemask_epi8(passes(bytes))) & 0xffff;
    if (others != 0) return at + std::countr_zero(others);
  }
}
inline __m128i are(char c, __m128i bytes) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}
inline __m128i are_at_least(char c, __m128i bytes) {
  return _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(c)), bytes);
}
#endif

// The end of the blanks that `at` begins with.
inline const char* skip_json_blanks(const char* at) {
  // most tokens follow one another, or one space
  if (static_cast<unsigned char>(*at) > ' ') return at;
  if (*at == ' ' && static_cast<unsigned char>(at[1]) > ' ') return at + 1;
#ifdef __SSE2__
  return skip_sixteens(at, [](__m128i bytes) {
    return _mm_or_si128(_mm_or_si128(are(' ', bytes), are('\n', bytes)),
                        _mm_or_si128(are('\r', bytes), are('\t', bytes)));
  });
#else
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
  return at;
#endif
}

// The first quote, backslash or control byte. `maybe_high`: set if a byte up to there, or soon
// behind it, is not ASCII.
inline const char* find_json_string_stop(const char* at, bool& maybe_high) {
#ifdef __SSE2__
  __m128i all = _mm_setzero_si128();
  const char* stop = skip_sixteens(at, [&](__m128i bytes) {
    all = _mm_or_si128(all, bytes);
    return _mm_andnot_si128(_mm_or_si128(are('"', bytes), are('\\', bytes)),
                            are_at_least(' ', bytes));
  });
  maybe_high |= _mm_movemask_epi8(all) != 0;
  return stop;
#else
  while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= ' ')
    maybe_high |= static_cast<unsigned char>(*at++) >= 0x80;
  return at;
#endif
}

inline const char* skip_json_digits(const char* at) {
#ifdef __SSE2__
  return skip_sixteens(at, [](__m128i bytes) {
    // below '0' becomes large
    const __m128i value = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    return _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
  });
#else
  while (*at >= '0' && *at <= '9') ++at;
  return at;
#endif
}

}  // namespace aiflame
