// SPDX-License-Identifier: MIT
#include "libcommon/text/text_table.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

TEST(TextTable, NumbersTextsInOrderOfAppearance) {
  TextTable table;
  bool added = false;
  EXPECT_EQ(table.number("", &added), 0u);
  EXPECT_TRUE(added);
  EXPECT_EQ(table.number("a"), 1u);
  EXPECT_EQ(table.number("", &added), 0u);
  EXPECT_FALSE(added);
  EXPECT_EQ(table.text(1), "a");
}

TEST(TextTable, FindsWhatCameInOrderOnceOneIsOutOfOrder) {
  TextTable table;
  bool added = true;
  for (uint32_t i = 0; i < 1000; ++i) {
    const std::string text = "stack" + std::to_string(10000 + i);
    ASSERT_EQ(table.number(text), i);
    ASSERT_EQ(table.number(text, &added), i);
    ASSERT_FALSE(added);
  }
  EXPECT_EQ(table.number("stack10007", &added), 7u);
  EXPECT_FALSE(added);
  EXPECT_EQ(table.number("stack", &added), 1000u);
  EXPECT_TRUE(added);
  for (uint32_t i = 0; i < 1000; ++i)
    ASSERT_EQ(table.number("stack" + std::to_string(10000 + i)), i);
  EXPECT_EQ(table.number("stack"), 1000u);
  EXPECT_EQ(table.size(), 1001u);
}
TEST(TextTable, KeepsTextsApartAtEveryLength) {
  TextTable table;
  for (uint32_t i = 0; i < 100000; ++i)
    ASSERT_EQ(table.number(std::string(i % 70, 'x') + std::to_string(i)), i);
  for (uint32_t i = 0; i < 100000; ++i)
    ASSERT_EQ(table.text(i), std::string(i % 70, 'x') + std::to_string(i));
  const std::string large(1 << 20, 'y');
  EXPECT_EQ(table.text(table.number(large)), large);
}

TEST(ListTable, ListsAreNotConcatenations) {
  ListTable table;
  EXPECT_EQ(table.number({1, 2}), 0u);
  EXPECT_EQ(table.number({1}), 1u);
  EXPECT_EQ(table.number({}), 2u);
  EXPECT_EQ(table.number({1, 2}), 0u);
  std::string out;
  table.each(0, [&](uint32_t item) { out += std::to_string(item) + " "; });
  EXPECT_EQ(out, "1 2 ");
}

}  // namespace
}  // namespace aiflame
