// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/reason_sums.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

FlameTree tree_of(const std::vector<std::pair<std::string, uint64_t>>& stacks) {
  StackSorter sorter;
  for (const auto& [stack, count] : stacks) sorter.add(stack, count);
  return merged_tree(std::move(sorter));
}

ReasonSums sums_of(const std::vector<std::pair<std::string, uint64_t>>& stacks) {
  const FlameTree tree = tree_of(stacks);
  return sum_reasons(tree, find_reason_names(tree));
}

uint64_t of(const ReasonSums& sums, StallReason::Category category) {
  return sums.of[static_cast<size_t>(category)];
}

TEST(ReasonSums, EachSampleHasItsNearestReason) {
  const ReasonSums sums = sums_of({{"a;-;k_[G];FFMA_[g];selected_[g];0x10_[g]", 50},
                                   {"a;-;k_[G];FFMA_[g];selected_[g]", 4},
                                   {"a;-;k_[G];FFMA_[g];not_selected_[g]", 14},
                                   {"a;-;k_[G];LDG_[g];long_scoreboard_[g];0x20_[g]", 30},
                                   {"a;-;k_[G];MUFU_[g];misc_[g]", 1},
                                   {"a;-;k_[G];LDG_[g]", 7},
                                   {"a;b", 100}});
  EXPECT_EQ(of(sums, StallReason::Category::issuing), 54u);
  EXPECT_EQ(of(sums, StallReason::Category::memory), 30u);
  EXPECT_EQ(of(sums, StallReason::Category::other), 15u);
  EXPECT_EQ(sums.hidden, 14u);
  EXPECT_EQ(sums.all(), 99u);  // 107 samples have none
  EXPECT_EQ(sums.stalls(), 31u);
}

TEST(ReasonSums, NothingWithoutReasons) {
  EXPECT_EQ(sums_of({{"a;b", 5}}).all(), 0u);
}

TEST(ReasonSums, WorkIsNoStall) {
  const auto works = [](const char* stack) {
    const FlameTree tree = tree_of({{stack, 1}});
    return has_work(find_reason_names(tree));
  };
  EXPECT_TRUE(works("a;-;k_[G];mov_[g];active_[g]"));
  EXPECT_TRUE(works("a;-;k_[G];FFMA_[g];not_selected_[g]"));
  EXPECT_FALSE(works("a;-;k_[G];mov_[g];sbid_[g]"));
  EXPECT_FALSE(works("a;main"));
}

}  // namespace
}  // namespace aiflame::svg
