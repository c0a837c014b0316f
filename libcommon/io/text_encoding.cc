// SPDX-License-Identifier: MIT
#include "libcommon/io/text_encoding.h"

#include "libcommon/base/utf8.h"

namespace aiflame {
namespace {

// Whether the bytes are ASCII characters in UTF-16, whose zero bytes are at `zero`: 1 or 0.
bool is_utf16(std::string_view bytes, size_t zero) {
  if (bytes.size() < kEncodingBytes) return false;
  for (size_t i = 0; i < kEncodingBytes; i += 2) {
    const char c = bytes[i + 1 - zero];
    const bool printable = (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
    if (bytes[i + zero] != '\0' || !printable) return false;
  }
  return true;
}

}  // namespace

TextEncoding find_encoding(std::string_view first_bytes) {
  using Kind = TextEncoding::Kind;
  if (first_bytes.starts_with("\xef\xbb\xbf")) return {Kind::bytes, 3};
  if (first_bytes.starts_with("\xff\xfe")) return {Kind::utf16_little, 2};
  if (first_bytes.starts_with("\xfe\xff")) return {Kind::utf16_big, 2};
  if (is_utf16(first_bytes, 1)) return {Kind::utf16_little, 0};
  if (is_utf16(first_bytes, 0)) return {Kind::utf16_big, 0};
  return {};
}

void Utf16Decoder::decode(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!has_byte_) {
      byte_ = byte;
      has_byte_ = true;
      continue;
    }
    has_byte_ = false;
    take(little_endian_ ? uint32_t{byte} << 8 | byte_ : uint32_t{byte_} << 8 | byte, out);
  }
}

void Utf16Decoder::take(uint32_t unit, std::string& out) {
  const bool is_low = unit >= 0xdc00 && unit <= 0xdfff;
  if (high_ != 0) {
    const uint32_t high = high_;
    high_ = 0;
    if (is_low) {
      append_utf8(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00), out);
      return;
    }
    append_utf8(kReplacement, out);
  }
  if (unit >= 0xd800 && unit <= 0xdbff)
    high_ = unit;
  else
    append_utf8(is_low ? kReplacement : unit, out);
}

}  // namespace aiflame
