// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/label.h"

#include <gtest/gtest.h>

namespace aiflame::svg {
namespace {

TEST(Label, FitsItsFrame) {
  const Font font;
  EXPECT_EQ(fitting_label("main", 100, font), "main");
  EXPECT_EQ(fitting_label("main", 20, font), "");
  EXPECT_EQ(fitting_label("a_long_name_of_a_function", 100, font), "a_long_name..");
  // a label is never wider than its frame, however wide the characters
  for (const char* name : {"WWWWWWWWWWWWWW", "iiiiiiiiiiiiiiiiiiiiiiiiii",
                           "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2"})
    for (int width = 5; width < 200; width += 3)
      EXPECT_LE(text_width(fitting_label(name, width, font), font), width) << name;
}

TEST(Label, IsCutBetweenCharacters) {
  const std::string label =
      fitting_label("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 40, {});
  EXPECT_EQ(label, "\xc3\xa9\xc3\xa9..");
}

}  // namespace
}  // namespace aiflame::svg
