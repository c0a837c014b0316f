// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/event_numbers.h"

#include "libcommon/base/parse.h"
#include "libcommon/text/text_hash.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {
namespace {

// The digits of a number, without its point: 1120.007 is 1120007 with 3 decimals. What does not fit
// into 64 bits is cut off behind the point.
struct Digits {
  uint64_t value = 0;
  int decimals = 0;
};

std::optional<Digits> take_digits(std::string_view& text) {
  constexpr uint64_t kRoom = (UINT64_MAX - 9) / 10;
  Digits out;
  size_t at = 0;
  bool any = false, fraction = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !fraction) {
      fraction = true;
    } else if (is_digit(text[at])) {
      any = true;
      if (out.value > kRoom) {
        if (!fraction) return std::nullopt;
        continue;
      }
      out.value = out.value * 10 + static_cast<uint64_t>(text[at] - '0');
      if (fraction) ++out.decimals;
    } else {
      break;
    }
  }
  text.remove_prefix(at);
  return any ? std::optional(out) : std::nullopt;
}

// Most are "6520488433299.504" or shorter: digits that fit, at most three of them behind a point.
std::optional<int64_t> parse_plain(std::string_view text) {
  if (text.size() > 17 || text.empty() || !is_digit(text[0])) return std::nullopt;
  int64_t value = 0;
  size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) value = value * 10 + (text[at] - '0');
  size_t missing = 3;
  if (at < text.size() && text[at] == '.')
    for (++at; at < text.size() && is_digit(text[at]) && missing > 0; ++at, --missing)
      value = value * 10 + (text[at] - '0');
  if (at < text.size()) return std::nullopt;
  constexpr int64_t kScales[] = {1, 10, 100, 1000};
  int64_t out = 0;
  return __builtin_mul_overflow(value, kScales[missing], &out) ? std::nullopt : std::optional(out);
}

}  // namespace

std::optional<int64_t> parse_microseconds(std::string_view text) {
  if (const auto plain = parse_plain(text)) return plain;
  const bool negative = take_prefix(text, "-");
  const std::optional<Digits> digits = take_digits(text);
  if (!digits) return std::nullopt;
  int shift = 3 - digits->decimals;
  if (take_prefix(text, "e") || take_prefix(text, "E")) {
    take_prefix(text, "+");
    const auto exponent = parse_number<int>(text);
    if (!exponent || *exponent < -100 || *exponent > 100) return std::nullopt;
    shift += *exponent;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  uint64_t value = digits->value;
  for (; shift > 0 && value > 0; --shift)
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return std::nullopt;
  for (; shift < -1 && value > 0; ++shift) value /= 10;
  if (shift == -1) value = value / 10 + (value % 10 >= 5);
  if (value > INT64_MAX) return std::nullopt;
  return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

uint64_t parse_id(std::string_view text) {
  const bool hex = take_prefix(text, "0x");
  return parse_number<uint64_t>(text, hex ? 16 : 10).value_or(Event::kNone);
}

uint64_t parse_flow_id(std::string_view text) {
  const uint64_t number = parse_id(text);
  return number != Event::kNone || text.empty() ? number : hash_text(text, 0) >> 1;
}

}  // namespace aiflame::trace
