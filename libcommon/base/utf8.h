// SPDX-License-Identifier: MIT
// Decodes UTF-8 that may be invalid: each invalid byte becomes U+FFFD.
#pragma once

#include <cstdint>
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

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const bool replaced = text.starts_with("\xef\xbf\xbd");  // U+FFFD itself
    if (take_code_point(text) == kReplacement && !replaced) return false;
  }
  return true;
}

}  // namespace aiflame
