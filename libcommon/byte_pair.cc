// SPDX-License-Identifier: MIT
#include "libcommon/byte_pair.h"

#include <algorithm>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aiflame {

#ifdef __SSE2__

namespace {

// SSE2 is part of every x86-64; wider registers gained nothing here, the input comes from memory.
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
  // the second loads reach one byte further
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

size_t count_byte(std::string_view text, char byte) {
  const __m128i wanted = _mm_set1_epi8(byte), zero = _mm_setzero_si128();
  const char* const data = text.data();
  __m128i sums = zero;  // two of 64 bits
  size_t at = 0;
  while (at + kWide <= text.size()) {
    // a byte of `counts` goes down by one for each hit, and may do so 255 times
    __m128i counts = zero;
    const size_t stop = std::min(text.size() - kWide, at + 254 * kWide);
    for (; at <= stop; at += kWide)
      counts = _mm_add_epi8(counts, _mm_cmpeq_epi8(load(data + at), wanted));
    sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_sub_epi8(zero, counts), zero));
  }
  const auto halves = static_cast<size_t>(_mm_cvtsi128_si64(sums)) +
                      static_cast<size_t>(_mm_cvtsi128_si64(_mm_srli_si128(sums, 8)));
  return halves + static_cast<size_t>(
                      std::count(text.begin() + static_cast<ptrdiff_t>(at), text.end(), byte));
}

#else

size_t find_pair(std::string_view text, char first, char second) {
  for (size_t at = text.find(first); at + 1 < text.size(); at = text.find(first, at + 1))
    if (text[at + 1] == second) return at;
  return std::string_view::npos;
}

size_t count_byte(std::string_view text, char byte) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), byte));
}

#endif

}  // namespace aiflame
