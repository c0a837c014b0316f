// SPDX-License-Identifier: MIT
// Which encoding a text has, by its first bytes, and UTF-16 as UTF-8 (pure). PowerShell's `>`
// writes UTF-16 with a byte order mark, and editors of Windows write UTF-8 with one:
//
//   ff fe 61 00 3b 00 62 00      "a;b" in UTF-16, little endian
//   ef bb bf 61 3b 62            "a;b" in UTF-8
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

struct TextEncoding {
  enum class Kind : uint8_t { bytes, utf16_little, utf16_big };
  Kind kind = Kind::bytes;
  size_t mark = 0;  // length of the byte order mark, which is no text

  bool operator==(const TextEncoding&) const = default;
};

// As many first bytes as find_encoding() needs.
constexpr size_t kEncodingBytes = 8;

// The encoding of a text or a binary file. Without a byte order mark, UTF-16 is four printable
// ASCII characters, each with a zero byte: no binary format that is read here begins like that.
TextEncoding find_encoding(std::string_view first_bytes);

// Turns UTF-16 into UTF-8, block by block.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(bool little_endian) : little_endian_(little_endian) {}
  // Appends the text of `bytes`. Halves of surrogate pairs become U+FFFD.
  void decode(std::string_view bytes, std::string& out);
  // Whether the bytes so far end inside of a character.
  bool inside() const { return has_byte_ || high_ != 0; }

 private:
  void take(uint32_t unit, std::string& out);

  bool little_endian_, has_byte_ = false;
  unsigned char byte_ = 0;
  uint32_t high_ = 0;  // the first half of a surrogate pair
};

}  // namespace aiflame
