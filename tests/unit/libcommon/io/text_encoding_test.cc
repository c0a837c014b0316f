// SPDX-License-Identifier: MIT
#include "libcommon/io/text_encoding.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

using Kind = TextEncoding::Kind;
using std::string_view_literals::operator""sv;

TEST(TextEncoding, ByTheFirstBytes) {
  EXPECT_EQ(find_encoding("\xef\xbb\xbf"
                          "a;b 1"),
            (TextEncoding{Kind::bytes, 3}));
  EXPECT_EQ(find_encoding("\xff\xfe"
                          "a\0"sv),
            (TextEncoding{Kind::utf16_little, 2}));
  EXPECT_EQ(find_encoding("\xfe\xff\0a"sv), (TextEncoding{Kind::utf16_big, 2}));
  EXPECT_EQ(find_encoding("a\0;\0b\0 \0"sv), (TextEncoding{Kind::utf16_little, 0}));
  EXPECT_EQ(find_encoding("\0a\0;\0b\0 "sv), (TextEncoding{Kind::utf16_big, 0}));
  for (const auto& bytes : {""sv, "a;b 1\n"sv, "a\0;\0b\0"sv, "PERFILE2"sv, "\0\0\0\0\0\0\0\0"sv,
                            "SQLite format 3\0"sv, "\x80\x02}q\0X\x06\0"sv, "\xef\xbb"sv})
    EXPECT_EQ(find_encoding(bytes), TextEncoding()) << bytes;
}

std::string decoded(std::string_view bytes, bool little, bool& inside) {
  std::string whole;
  Utf16Decoder decoder(little);
  decoder.decode(bytes, whole);
  inside = decoder.inside();
  // byte by byte it is the same
  std::string pieces;
  Utf16Decoder again(little);
  for (const char& c : bytes) again.decode({&c, 1}, pieces);
  EXPECT_EQ(whole, pieces);
  return whole;
}

TEST(TextEncoding, Utf16AsUtf8) {
  bool inside = true;
  EXPECT_EQ(decoded("a\0\xe9\0\xac\x20\x3d\xd8\x25\xdd"sv, true, inside),
            "a\u00e9\u20ac\U0001f525");
  EXPECT_FALSE(inside);
  EXPECT_EQ(decoded("\0a\0\xe9\x20\xac\xd8\x3d\xdd\x25"sv, false, inside),
            "a\u00e9\u20ac\U0001f525");
  // halves of pairs
  EXPECT_EQ(decoded("\x3d\xd8\x61\0\x25\xdd"sv, true, inside), "\ufffda\ufffd");
  EXPECT_FALSE(inside);
  EXPECT_EQ(decoded("a\0b"sv, true, inside), "a");
  EXPECT_TRUE(inside);
  EXPECT_EQ(decoded("\x3d\xd8"sv, true, inside), "");
  EXPECT_TRUE(inside);
}

}  // namespace
}  // namespace aiflame
