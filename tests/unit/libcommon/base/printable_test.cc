// SPDX-License-Identifier: MIT
#include "libcommon/base/printable.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "libcommon/base/utf8.h"

namespace aiflame {
namespace {

TEST(Printable, CleanTextStaysAsItIs) {
  for (const char* text :
       {"", "main", "std::vector<int>::operator[](unsigned long)", "gr\xc3\xbc\xc3\x9f",
        "\xe5\x87\xbd\xe6\x95\xb0", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "a\xcc\x81",
        "\xf0\x9f\x94\xa5", "\xef\xbf\xbd", "\xc2\xa0", "\\033",
        // a family of emoji, joined by U+200D; Persian with U+200C
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", "\xd9\x85\xe2\x80\x8c\xd8\xb1"}) {
    EXPECT_TRUE(is_printable(std::string_view(text))) << text;
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlsBecomeOctal) {
  const std::pair<std::string, const char*> cases[] = {
      {std::string(1, '\0'), "\\000"},
      {"\x1b[2J", "\\033[2J"},
      {"a\tb\nc\rd\x7f", "a\\011b\\012c\\015d\\177"},
      {"\xc2\x9b"
       "2J",
       "\\302\\2332J"},                             // C1
      {"\xe2\x80\xae", "\\342\\200\\256"},          // U+202E
      {"x\xe2\x81\xa6y", "x\\342\\201\\246y"},      // U+2066
      {"\xe2\x80\x8f", "\\342\\200\\217"},          // U+200F
      {"\xd8\x9c", "\\330\\234"},                   // U+061C
      {"\xe2\x80\xa8", "\\342\\200\\250"},          // U+2028
      {"\xe2\x80\x8b", "\\342\\200\\213"},          // U+200B
      {"\xef\xbb\xbf", "\\357\\273\\277"},          // U+FEFF
      {"\xef\xbf\xbe", "\\357\\277\\276"},          // U+FFFE
      {"\xff", "\\377"},                            // no UTF-8
      {"\xc0\xaf", "\\300\\257"},                   // overlong
      {"\xed\xa0\x80", "\\355\\240\\200"},          // a surrogate
      {"\xe2\x82", "\\342\\202"},                   // cut off
      {"\xf4\x90\x80\x80", "\\364\\220\\200\\200"}  // beyond U+10FFFF
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_FALSE(is_printable(std::string_view(text))) << expected;
    EXPECT_EQ(printable(text), expected);
    // wherever it stands in words of 16 bytes
    for (size_t before = 0; before < 40; ++before)
      EXPECT_EQ(printable(std::string(before, 'x') + text + "tail"),
                std::string(before, 'x') + expected + "tail");
  }
}

TEST(Printable, LinesMayHaveNewlines) {
  EXPECT_TRUE(has_printable_lines(""));
  EXPECT_TRUE(has_printable_lines("a;b 1\nc;\xc3\xa4 2\n\n"));
  EXPECT_FALSE(has_printable_lines("a;b 1\nc;\x1b 2\n"));
  EXPECT_FALSE(has_printable_lines("a;b 1\r\n"));
  EXPECT_FALSE(has_printable_lines("a;\xc2\n\x9b 1\n"));
  EXPECT_FALSE(is_printable(std::string_view("a\nb")));
}

// Whatever the bytes are: the result is printable, the function changes nothing twice, and
// different texts without backslashes stay different.
TEST(Printable, RandomBytes) {
  std::mt19937 random(5);
  const std::string bytes("\x1b\xc2\x9b\xe2\x80\xae\xa6\x81\xef\xbb\xbf\xf0\x9f\x94\xa5 ab\n\x7f");
  std::map<std::string, std::string> seen;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (size_t n = random() % 24; n > 0; --n) text += bytes[random() % bytes.size()];
    const std::string shown = printable(text);
    EXPECT_TRUE(is_printable(std::string_view(shown)));
    EXPECT_EQ(printable(shown), shown);
    EXPECT_EQ(is_printable(std::string_view(text)), shown == text);
    for (std::string_view rest = shown; !rest.empty();) {
      const uint32_t code = take_code_point(rest);
      EXPECT_TRUE(is_printable(code));
      EXPECT_NE(code, kReplacement);
    }
    EXPECT_EQ(seen.try_emplace(shown, text).first->second, text);
  }
}

}  // namespace
}  // namespace aiflame
