// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/label.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

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

// The page's labels are tested with the same table: tests/browser/layout_test.py.
TEST(Label, KeepsWhatMatters) {
  const Font font{"of equal widths", 1, 1};
  std::ifstream table("tests/data/aiflame-svg/labels.tsv");
  std::string room, name, label;
  std::getline(table, room);  // what the columns are
  int rows = 0;
  while (std::getline(table, room, '\t') && std::getline(table, name, '\t') &&
         std::getline(table, label)) {
    EXPECT_EQ(fitting_form(name, std::stod(room), font), label) << room << ' ' << name;
    ++rows;
  }
  EXPECT_GT(rows, 40);
}

TEST(Label, HasTheShareWhereThereIsRoom) {
  EXPECT_EQ(brief_label("main", "12.3%", 200, {}), "main 12.3%");
  EXPECT_EQ(brief_label("main", "12.3%", 80, {}), "main");
  EXPECT_EQ(brief_label("main", "", 200, {}), "main");
  EXPECT_EQ(brief_label("main", "12.3%", 12, {}), "");
}

}  // namespace
}  // namespace aiflame::svg
