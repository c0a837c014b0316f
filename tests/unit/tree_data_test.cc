// SPDX-License-Identifier: MIT
// What a browser reads from it is in tests/browser/tree_data_test.py.
#include "tools/aiflame-svg/tree_data.h"

#include <gtest/gtest.h>

#include "tools/aiflame-svg/stack_sorter.h"

namespace aiflame {
namespace {

std::string number_text(uint64_t value) {
  std::string out;
  append_number(out, value);
  return out;
}

TEST(TreeData, NumbersAreFiveBitsACharacter) {
  EXPECT_EQ(number_text(0), "?");
  EXPECT_EQ(number_text(31), "^");
  EXPECT_EQ(number_text(32), "_@");  // 0 and more, then 1
  // of Google's description of its format: 174 is "mD"
  EXPECT_EQ(number_text(174), "mD");
  EXPECT_EQ(number_text(UINT64_MAX), "~~~~~~~~~~~~N");
}

std::string data(const std::vector<std::pair<const char*, uint64_t>>& lines, uint64_t budget) {
  StackSorter sorter;
  for (const auto& [stack, count] : lines) sorter.add(stack, count);
  const FlameTree tree = sorter.finish();
  std::string out;
  write_tree_data(tree, *Palette::find("red"), budget, [&](std::string_view text) { out += text; });
  return out;
}

TEST(TreeData, NodesFromTheRootUpwardsAndFromLeftToRight) {
  const std::string out = data({{"a;b", 1}, {"a;c", 3}, {"a", 2}}, kEmbedAll);
  // root; a with 2 of its own; b with 1; one back: c with 3
  EXPECT_NE(out.find("<g class=\"names\">\na\nb\nc</g>"), std::string::npos) << out;
  EXPECT_NE(out.find("<g class=\"nodes\">??@@A@A@DBB</g>"), std::string::npos) << out;
  EXPECT_NE(out.find("data-nodes=\"4\" data-names=\"4\" data-total=\"6\""), std::string::npos);
}

TEST(TreeData, NothingWhereNothingFits) {
  EXPECT_EQ(data({{"a", 1}}, 0), "");
  EXPECT_EQ(data({{"a", 1}}, 100), "");
}

}  // namespace
}  // namespace aiflame
