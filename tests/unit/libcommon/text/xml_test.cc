// SPDX-License-Identifier: MIT
#include "libcommon/text/xml.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Xml, InvalidTextStaysWellFormed) {
  EXPECT_EQ(xml("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(xml("\x01\t\n\x7f"), "\\001\\011\\012\\177");
  EXPECT_EQ(xml("\xff<"), "\\377&lt;");
  EXPECT_EQ(xml("\xed\xa0\x80"), "\\355\\240\\200");        // a surrogate
  EXPECT_EQ(xml("\xc0\xaf"), "\\300\\257");                 // overlong
  EXPECT_EQ(xml("\xef\xbf\xbe"), "\\357\\277\\276");        // U+FFFE
  EXPECT_EQ(xml("\xe2\x82"), "\\342\\202");                 // cut
  EXPECT_EQ(xml("\xe2\x80\xaexyz"), "\\342\\200\\256xyz");  // right to left
  EXPECT_EQ(xml("\xc3\xa9\xf0\x9f\x94\xa5"), "\xc3\xa9\xf0\x9f\x94\xa5");
  EXPECT_EQ(xml(std::string_view("\0", 1)), "\\000");
}

TEST(Xml, Comment) {
  EXPECT_EQ(xml_comment("a--b---"), "a- -b- - - ");
  EXPECT_EQ(xml_comment("<&>"), "<&>");
  EXPECT_EQ(xml_comment("-\n-"), "-\\012- ");
}

TEST(Xml, CssString) {
  EXPECT_EQ(css_string("Courier New"), "\"Courier New\"");
  EXPECT_EQ(css_string("a\"</"), "\"a\\22 \\3c \\2f \"");
}

}  // namespace
}  // namespace aiflame
