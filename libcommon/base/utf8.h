// SPDX-License-Identifier: MIT
// Decodes UTF-8 that may be invalid, each invalid byte as U+FFFD, and encodes code points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

inline constexpr uint32_t kReplacement = 0xfffd;

// Cuts the first code point off the front of `text`, which is not empty.
inline uint32_t take_code_point(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t first = byte(0);
  size_t length = 1;
  uint32_t smallest = 0, code = first;
  if (first >= 0x80) {
    if (first >= 0xc2 && first <= 0xdf) {
      length = 2, code = first & 0x1f, smallest = 0x80;
    } else if (first >= 0xe0 && first <= 0xef) {
      length = 3, code = first & 0x0f, smallest = 0x800;
    } else if (first >= 0xf0 && first <= 0xf4) {
      length = 4, code = first & 0x07, smallest = 0x10000;
    } else {
      code = kReplacement;
    }
    bool valid = code != kReplacement && text.size() >= length;
    for (size_t i = 1; valid && i < length; ++i) {
      valid = (byte(i) & 0xc0) == 0x80;
      code = code << 6 | (byte(i) & 0x3f);
    }
    // overlong forms, surrogates and code points beyond Unicode
    if (!valid || code < smallest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      code = kReplacement;
      length = 1;
    }
  }
  text.remove_prefix(length);
  return code;
}

// `code` is at most 0x1fffff.
inline void append_utf8(uint32_t code, std::string& out) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) { put(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put_rest(0);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put_rest(6);
    put_rest(0);
  } else {
    put(0xf0 | code >> 18);
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const bool replaced = text.starts_with("\xef\xbf\xbd");  // U+FFFD itself
    if (take_code_point(text) == kReplacement && !replaced) return false;
  }
  return true;
}

}  // namespace aiflame
