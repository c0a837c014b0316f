// SPDX-License-Identifier: MIT
#include "libcommon/folded/folded.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Folded, OneCount) {
  FoldedLine line;
  ASSERT_TRUE(split_folded("a;b c;d 12", true, line));
  EXPECT_EQ(line.stack, "a;b c;d");
  EXPECT_EQ(line.count, "12");
  EXPECT_EQ(line.count_before, "");
}

TEST(Folded, TwoCounts) {
  FoldedLine line;
  ASSERT_TRUE(split_folded("a;b 5 7.25", true, line));
  EXPECT_EQ(line.stack, "a;b");
  EXPECT_EQ(line.count_before, "5");
  EXPECT_EQ(line.count, "7.25");
}

TEST(Folded, NameThatEndsInANumber) {
  FoldedLine line;
  ASSERT_TRUE(split_folded("main;thread 12 100", false, line));
  EXPECT_EQ(line.stack, "main;thread 12");
  EXPECT_EQ(line.count, "100");
}

TEST(Folded, BlanksAndLineEndings) {
  FoldedLine line;
  for (const char* text : {"a;b 5\r", "a;b\t5", "a;b 5  "}) {
    ASSERT_TRUE(split_folded(text, true, line)) << text;
    EXPECT_EQ(line.stack, "a;b");
    EXPECT_EQ(line.count, "5");
  }
}

TEST(Folded, ALastFrameThatIsBlankIsAFrame) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a;  3", "a; "}, {"a; 3", "a;"}, {"a;   3 ", "a;  "}, {"a  3", "a "}, {"  3", " "}};
  for (const auto& [text, stack] : kCases) {
    for (const bool two_counts : {false, true}) {
      FoldedLine line;
      ASSERT_TRUE(split_folded(text, two_counts, line)) << text;
      EXPECT_EQ(line.stack, stack);
      EXPECT_EQ(line.count, "3");
      EXPECT_EQ(line.count_before, "");
    }
  }
  FoldedLine line;
  ASSERT_TRUE(split_folded("a;  3 4", true, line));
  EXPECT_EQ(line.stack, "a; ");
  EXPECT_EQ(line.count_before, "3");
  // as flamegraph.pl has it
  ASSERT_TRUE(split_folded("a 3  4", true, line));
  EXPECT_EQ(line.stack, "a 3 ");
  EXPECT_EQ(line.count_before, "");
}

TEST(Folded, WithoutAStack) {
  FoldedLine line;
  ASSERT_TRUE(split_folded(" 5", true, line));
  EXPECT_EQ(line.stack, "");
}

TEST(Folded, NoCount) {
  FoldedLine line;
  for (const char* text :
       {"", "a", "a;b", "a -3", "a 1e6", "a 0x5", "a .5", "a 1.2.3", "a b5", "5"})
    EXPECT_FALSE(split_folded(text, true, line)) << text;
}

TEST(Annotation, IsTakenOff) {
  EXPECT_EQ(without_annotation("read_[k]"), "read");
  EXPECT_EQ(without_annotation("aten::mm_[o]"), "aten::mm");
  EXPECT_EQ(without_annotation("Linear_3_[m]"), "Linear_3");
  EXPECT_EQ(without_annotation("step 3_[r]"), "step 3");
  EXPECT_EQ(without_annotation("a_[g]_[G]"), "a_[g]");
  EXPECT_EQ(without_annotation("array_[x]"), "array_[x]");
  EXPECT_EQ(without_annotation("_[k]"), "");
  EXPECT_EQ(without_annotation("[k]"), "[k]");
}

TEST(BlankOrComment, AreNoStacks) {
  for (const char* line : {"", "  ", "\t", "\r", "# a 1", "# "})
    EXPECT_TRUE(is_blank_or_comment(line)) << line;
  for (const char* line : {"a 1", "#", "#a 1", " # a 1", ";"})
    EXPECT_FALSE(is_blank_or_comment(line)) << line;
}

}  // namespace
}  // namespace aiflame
