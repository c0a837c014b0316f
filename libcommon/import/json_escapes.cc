// SPDX-License-Identifier: MIT
#include "libcommon/import/json_escapes.h"

#include <charconv>
#include <cstdint>

#include "libcommon/base/utf8.h"

namespace aiflame {
namespace {

// Takes the four digits of \uXXXX off the front.
bool take_digits(std::string_view& text, uint32_t& code) {
  if (text.size() < 4) return false;
  const char* end = text.data() + 4;
  if (std::from_chars(text.data(), end, code, 16).ptr != end) return false;
  text.remove_prefix(4);
  return true;
}

// Takes XXXX off the front, and the \uXXXX behind it if both are a surrogate pair.
bool take_code_unit(std::string_view& text, uint32_t& code) {
  if (!take_digits(text, code)) return false;
  if (code < 0xd800 || code > 0xdfff) return true;
  const uint32_t high = code;
  code = kReplacement;
  std::string_view behind = text;
  uint32_t low = 0;
  if (high > 0xdbff || !behind.starts_with("\\u")) return true;
  behind.remove_prefix(2);
  if (!take_digits(behind, low)) return false;
  if (low < 0xdc00 || low > 0xdfff) return true;  // it stands for itself
  code = 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
  text = behind;
  return true;
}

}  // namespace

const char* unescape_json(std::string_view text, std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  out.clear();
  for (;;) {
    const size_t backslash = text.find('\\');
    out += text.substr(0, backslash);
    if (backslash == text.npos) return nullptr;
    text.remove_prefix(backslash + 1);
    const char letter = text.empty() ? '\0' : text[0];
    if (letter == 'u') {
      text.remove_prefix(1);
      uint32_t code = 0;
      if (!take_code_unit(text, code)) return "no four hexadecimal digits after \\u in a string";
      append_utf8(code, out);
      continue;
    }
    const size_t meaning = kLetters.find(letter);
    if (meaning == kLetters.npos) return "an unknown escape in a string";
    out += kMeanings[meaning];
    text.remove_prefix(1);
  }
}

void unescape_broken_json(std::string_view text, std::string& out) {
  if (unescape_json(text, out) == nullptr) return;
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    out += text[i];
  }
}

}  // namespace aiflame
