// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/text/xml.h"

#include <gtest/gtest.h>

namespace aiflame::svg {
namespace {

TEST(Xml, InvalidTextStaysWellFormed) {
  EXPECT_EQ(xml("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(xml("\x01\t\n\x7f"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(xml("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(xml("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  EXPECT_EQ(xml("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong
  EXPECT_EQ(xml("\xef\xbf\xbe"), "\xef\xbf\xbd");                          // U+FFFE
  EXPECT_EQ(xml("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");                  // cut
  EXPECT_EQ(xml("\xc3\xa9\xf0\x9f\x94\xa5"), "\xc3\xa9\xf0\x9f\x94\xa5");
  EXPECT_EQ(xml(std::string_view("\0", 1)), "\xef\xbf\xbd");
}

TEST(Xml, Comment) {
  EXPECT_EQ(xml_comment("a--b---"), "a- -b- - - ");
  EXPECT_EQ(xml_comment("<&>"), "<&>");
}

TEST(Xml, CssString) {
  EXPECT_EQ(css_string("Courier New"), "\"Courier New\"");
  EXPECT_EQ(css_string("a\"</"), "\"a\\22 \\3c \\2f \"");
}

}  // namespace
}  // namespace aiflame::svg
