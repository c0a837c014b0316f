// SPDX-License-Identifier: MIT
#include "libcommon/folded/columns.h"

#include <gtest/gtest.h>

#include "libcommon/folded/folded.h"

namespace aiflame {
namespace {

TEST(Columns, EachLineHasTwoNumbers) {
  EXPECT_EQ(has_two_counts("a 1 2\nb;c 3 4\n"), true);
  EXPECT_EQ(has_two_counts("epoch 1 5\nmain 3\n"), false);
  EXPECT_EQ(has_two_counts("main 3\nepoch 1 5\n"), false);
  EXPECT_EQ(has_two_counts("# comment 1 2\n\nno count\n"), std::nullopt);
  EXPECT_EQ(has_two_counts(""), std::nullopt);
}

TEST(Columns, ALineThatIsCutSaysNothing) {
  EXPECT_EQ(has_two_counts("a 1 2\nb;c 3"), true);
  EXPECT_EQ(has_two_counts("a 1 2"), true);
}

TEST(Columns, TheCommentIsBelieved) {
  EXPECT_EQ(has_two_counts("# aiflame: unit ns\nepoch 1 5\nepoch 2 7\n"), false);
  EXPECT_EQ(has_two_counts("epoch 1 5\n# aiflame: unit ns\n"), false);
  EXPECT_EQ(has_two_counts("# aiflame: unit ns, columns two\na 1\n"), true);
}

TEST(Columns, NoNameIsTakenForACount) {
  for (const char* name : {"epoch 2", "step\t10", "loss 0.5", "loss 1.", "2 3", "epoch 1 2"}) {
    const std::string line = "root;" + escape_number(name) + " 7";
    FoldedLine folded;
    ASSERT_TRUE(split_folded(line, true, folded)) << line;
    EXPECT_EQ(folded.count_before, "") << line;
  }
  EXPECT_EQ(escape_number("epoch 2"), "epoch_2");
  EXPECT_EQ(escape_number("epoch 1 2"), "epoch 1_2");
  for (const char* name : {"", "2", "epoch2", "epoch 2_[r]", "a 2 b", "epoch 2 ", ".5", "a .5"})
    EXPECT_EQ(escape_number(name), name);
}

}  // namespace
}  // namespace aiflame
