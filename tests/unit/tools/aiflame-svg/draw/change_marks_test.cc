// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/change_marks.h"

#include <gtest/gtest.h>

#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// 100 before, 150 after.
FlameTree example() {
  StackSorter sorter;
  sorter.add("a", 30, 20);
  sorter.add("a.x", 10, 10);
  sorter.add("a;b", 10, 50);
  sorter.add("d", 100, 20);
  return merged_tree(std::move(sorter));
}
uint32_t node(const FlameTree& tree, std::string_view name) {
  for (uint32_t i = 0; i < tree.size(); ++i)
    if (tree.name(i) == name) return i;
  return FlameTree::kRoot;
}
FrameChanges changes(std::initializer_list<const char*> lines) {
  FrameChanges out;
  for (const char* line : lines) out.read(std::string("# aiflame-change: ") + line);
  return out;
}

TEST(ChangeMarks, AreOfTheFramesThatTheyName) {
  const FlameTree tree = example();
  const ChangeMarks marks(tree, 0,
                          changes({"before 100, after 150, low 10, high 90, frames ;",
                                   "before 70, after 40, low -60, high 0.5, frames a;",
                                   "before 50, after 10, low -55, high -25, frames a;b;"}));
  EXPECT_FALSE(marks.is_noise(FlameTree::kRoot));
  EXPECT_TRUE(marks.is_noise(node(tree, "a")));
  EXPECT_FALSE(marks.is_noise(node(tree, "b")));
  EXPECT_EQ(marks.find(node(tree, "d")), nullptr);
  EXPECT_FALSE(marks.is_noise(node(tree, "d")));
  Drawing drawing;
  EXPECT_EQ(marks.text(node(tree, "a"), drawing), "within noise: -60 to +1 samples");
  EXPECT_EQ(marks.text(node(tree, "b"), drawing), "beyond noise: -55 to -25 samples");
  EXPECT_EQ(marks.text(node(tree, "d"), drawing), "");
  drawing.negate = true;
  EXPECT_EQ(marks.text(node(tree, "b"), drawing), "beyond noise: +25 to +55 samples");
}

// A grep leaves the lines of frames whose stacks it took out, or some of them.
TEST(ChangeMarks, OfOtherCountsAreNone) {
  const FlameTree tree = example();
  const ChangeMarks marks(tree, 0,
                          changes({"before 100, after 149, low 10, high 90, frames ;",
                                   "before 71, after 40, low -60, high 0.5, frames a;",
                                   "before 20, after 100, low 0, high 1, frames d;e;"}));
  EXPECT_TRUE(marks.empty());
}

TEST(ChangeMarks, CountsMayHaveFewerDecimalsThanTheTree) {
  StackSorter sorter;
  sorter.add("a", 300, 200);
  const FlameTree tree = merged_tree(std::move(sorter));
  const ChangeMarks marks(tree, 2, changes({"before 2, after 3, low 0.5, high 1.5, frames a;"}));
  EXPECT_NE(marks.find(node(tree, "a")), nullptr);
  Drawing drawing;
  drawing.decimals = 2;
  EXPECT_EQ(marks.text(node(tree, "a"), drawing), "beyond noise: +0.5 to +1.5 samples");
}

TEST(ChangeMarks, ATreeThatIsNoDifferenceHasNone) {
  StackSorter sorter;
  sorter.add("a", 3, 3);
  const FlameTree tree = merged_tree(std::move(sorter));
  EXPECT_TRUE(
      ChangeMarks(tree, 0, changes({"before 3, after 3, low 0, high 1, frames a;"})).empty());
}

}  // namespace
}  // namespace aiflame::svg
