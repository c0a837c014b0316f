// SPDX-License-Identifier: MIT
// Strict numbers and fields: the one place where text becomes a number. Nothing here allocates.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame {

// All of `text` as a number, or nothing: no sign for unsigned types, no blanks, no overflow, no
// other text ("5x"). `base` is for integers.
template <typename T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>)
    result = std::from_chars(text.data(), end, value);
  else
    result = std::from_chars(text.data(), end, value, base);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// The value of each byte as a hexadecimal digit; 255: not a digit.
inline constexpr auto kHexDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(255);
  for (unsigned i = 0; i < 10; ++i) digits['0' + i] = static_cast<uint8_t>(i);
  for (unsigned i = 0; i < 6; ++i) digits['a' + i] = digits['A' + i] = static_cast<uint8_t>(10 + i);
  return digits;
}();

// For the hundred thousand addresses of a kernel's symbols; from_chars() takes twice as long.
inline std::optional<uint64_t> parse_hex(std::string_view text) {
  if (text.empty() || text.size() > 16) return parse_number<uint64_t>(text, 16);
  uint64_t value = 0;
  uint8_t bits = 0;
  for (const char c : text) {
    const uint8_t digit = kHexDigits[static_cast<unsigned char>(c)];
    bits |= digit;
    value = value << 4 | (digit & 15);
  }
  return bits < 16 ? std::optional(value) : std::nullopt;
}

// "5012.010000000" (seconds, a point, up to 9 digits) as nanoseconds.
inline std::optional<uint64_t> parse_seconds(std::string_view text) {
  const size_t point = text.find('.');
  const auto seconds = parse_number<uint64_t>(text.substr(0, point));
  if (!seconds || *seconds > UINT64_MAX / 1000000000 - 1) return std::nullopt;
  uint64_t nanoseconds = 0;
  if (point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    const auto fraction = parse_number<uint64_t>(digits);
    if (!fraction || digits.size() > 9) return std::nullopt;
    nanoseconds = *fraction;
    for (size_t i = digits.size(); i < 9; ++i) nanoseconds *= 10;
  }
  return *seconds * 1000000000 + nanoseconds;
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether all of `text` is hexadecimal digits, at least one.
inline bool is_hex(std::string_view text) {
  for (char c : text)
    if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
  return !text.empty();
}

// The following are loops, since string_view::find_first_of() calls memchr() for each byte.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

inline std::string_view trim_left(std::string_view text) {
  size_t first = 0;
  while (first < text.size() && is_blank(text[first])) ++first;
  return text.substr(first);
}

inline std::string_view trim_right(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

inline std::string_view trim(std::string_view text) {
  return trim_right(trim_left(text));
}

// Cuts the next field off the front of `text`: skips leading blanks, then takes up to the next
// blank.
inline std::string_view take_field(std::string_view& text) {
  text = trim_left(text);
  size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end);
  return field;
}

// Cuts the digits off the front of `text`, at most 5 of them: a register's number and the like.
// Nothing if there is none.
inline std::optional<uint32_t> take_number(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && end < 5 && is_digit(text[end])) ++end;
  const auto out = parse_number<uint32_t>(text.substr(0, end));
  text.remove_prefix(end);
  return out;
}

// Cuts `prefix` off the front of `text`; false if `text` does not start with it.
inline bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace aiflame
