// SPDX-License-Identifier: MIT
#include "libcommon/base/printable.h"

#include <bit>

#include "libcommon/base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aiflame {
namespace {

// The length of the bytes from ' ' to '~' that `text` begins with; with `lines` of newlines, too.
template <bool lines>
size_t plain_length(std::string_view text) {
  size_t at = 0;
#ifdef __SSE2__
  const __m128i blank = _mm_set1_epi8(' '), del = _mm_set1_epi8(0x7f),
                newline = _mm_set1_epi8('\n');
  // 64 bytes at a time, of which only the greatest distance from a blank counts: 3 % (`make bench`,
  // diff)
  const __m128i most = _mm_set1_epi8('~' - ' ');
  for (; at + 64 <= text.size(); at += 64) {
    __m128i greatest = _mm_setzero_si128();
    for (size_t i = 0; i < 64; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at + i));
      __m128i distance = _mm_sub_epi8(bytes, blank);
      if constexpr (lines) distance = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, newline), distance);
      greatest = _mm_max_epu8(greatest, distance);
    }
    const __m128i beyond = _mm_subs_epu8(greatest, most);
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(beyond, _mm_setzero_si128())) != 0xffff) break;
  }
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // as signed numbers, bytes that are not ASCII are less than a blank, too
    __m128i other = _mm_cmplt_epi8(bytes, blank);
    if constexpr (lines) other = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, newline), other);
    const int found = _mm_movemask_epi8(_mm_or_si128(other, _mm_cmpeq_epi8(bytes, del)));
    if (found != 0) return at + static_cast<size_t>(std::countr_zero(static_cast<unsigned>(found)));
  }
#endif
  const auto is_plain = [](char c) { return (c >= ' ' && c < 0x7f) || (lines && c == '\n'); };
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

// Cuts the first character off the front of `text`, which is not empty. False where it is not
// printable; it is then one byte of what is not UTF-8, or a whole character.
bool take_printable(std::string_view& text) {
  const size_t size = text.size();
  const uint32_t code = take_code_point(text);
  const bool valid = code != kReplacement || text.size() + 1 < size;
  return valid && is_printable(code);
}

// Where the first character begins that is not printable, or the end.
template <bool lines>
size_t printable_length(std::string_view text) {
  std::string_view rest = text;
  const auto is_ascii = [](char c) { return (c & 0x80) == 0; };
  for (;;) {
    rest.remove_prefix(plain_length<lines>(rest));
    if (rest.empty() || is_ascii(rest.front())) return text.size() - rest.size();
    // characters beyond ASCII seldom stand alone
    while (!rest.empty() && !is_ascii(rest.front())) {
      const size_t at = text.size() - rest.size();
      if (!take_printable(rest)) return at;
    }
  }
}

}  // namespace

bool is_printable(uint32_t code) {
  if (code < 0xa0) return code >= ' ' && code < 0x7f;
  // U+200B, U+200E and U+200F; then separators, embeddings and overrides; then what joins words,
  // invisible signs, isolates, and marks that are out of use
  if (code >= 0x200b && code <= 0x206f)
    return (code == 0x200c || code == 0x200d) || (code >= 0x2010 && code < 0x2028) ||
           (code >= 0x202f && code < 0x2060);
  // the Arabic letter mark; the byte order mark; annotations; two that XML forbids
  return code != 0x061c && code != 0xfeff && !(code >= 0xfff9 && code <= 0xfffb) &&
         code != 0xfffe && code != 0xffff;
}

bool is_printable(std::string_view text) {
  return printable_length<false>(text) == text.size();
}

bool has_printable_lines(std::string_view text) {
  return printable_length<true>(text) == text.size();
}

void append_printable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t clean = printable_length<false>(text);
    out.append(text, 0, clean);
    text.remove_prefix(clean);
    if (text.empty()) return;
    std::string_view rest = text;
    take_code_point(rest);
    for (const char c : text.substr(0, text.size() - rest.size())) {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
              static_cast<char>('0' + (byte & 7))};
    }
    text = rest;
  }
}

std::string printable(std::string_view text) {
  std::string out;
  append_printable(out, text);
  return out;
}

}  // namespace aiflame
