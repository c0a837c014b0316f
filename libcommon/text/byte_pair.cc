// SPDX-License-Identifier: MIT
#include "libcommon/text/byte_pair.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aiflame {

#ifdef __SSE2__

namespace {

// SSE2 is part of every x86-64; wider registers gained nothing here, because the input comes from
// memory.
constexpr size_t kWide = sizeof(__m128i);

__m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

}  // namespace

size_t find_pair(std::string_view text, char first, char second) {
  const __m128i left = _mm_set1_epi8(first), right = _mm_set1_epi8(second);
  const char* const data = text.data();
  size_t at = 0;
  const auto pairs = [&](size_t from) {
    return _mm_and_si128(_mm_cmpeq_epi8(load(data + from), left),
                         _mm_cmpeq_epi8(load(data + from + 1), right));
  };
  const auto hit = [](__m128i found) { return static_cast<unsigned>(_mm_movemask_epi8(found)); };
  // the second load of each pair reads one byte further
  for (; at + 4 * kWide < text.size(); at += 4 * kWide) {
    const __m128i a = pairs(at), b = pairs(at + kWide), c = pairs(at + 2 * kWide),
                  d = pairs(at + 3 * kWide);
    if (hit(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) != 0) break;
  }
  for (; at + kWide < text.size(); at += kWide)
    if (const unsigned found = hit(pairs(at)); found != 0)
      return at + static_cast<size_t>(__builtin_ctz(found));
  for (; at + 1 < text.size(); ++at)
    if (data[at] == first && data[at + 1] == second) return at;
  return std::string_view::npos;
}

#else

size_t find_pair(std::string_view text, char first, char second) {
  for (size_t at = text.find(first); at + 1 < text.size(); at = text.find(first, at + 1))
    if (text[at + 1] == second) return at;
  return std::string_view::npos;
}

#endif

}  // namespace aiflame
