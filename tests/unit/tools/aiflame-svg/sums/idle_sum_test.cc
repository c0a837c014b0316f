// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/idle_sum.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// "15: [host busy] 9"
std::string idle(const std::vector<std::pair<std::string, uint64_t>>& stacks) {
  StackSorter sorter;
  for (const auto& [stack, count] : stacks) sorter.add(stack, count);
  const FlameTree tree = merged_tree(std::move(sorter));
  const IdleSum sum = sum_idle(tree);
  std::string out = std::to_string(sum.total);
  if (sum.of_cause > 0)
    out += ": " + std::string(tree.names()[sum.cause]) + " " + std::to_string(sum.of_cause);
  return out;
}

TEST(IdleSum, HasTheLargestCause) {
  EXPECT_EQ(idle({{"[gpu idle];[host busy];app;f", 4},
                  {"[gpu idle];[host busy];app;g", 5},
                  {"[gpu idle];[launch latency];app;g", 6},
                  {"app;f;-;k_[G]", 50}}),
            "15: [host busy] 9");
}

TEST(IdleSum, AddsUpRanks) {
  EXPECT_EQ(idle({{"rank 0;[gpu idle];[host busy];f", 4},
                  {"rank 0;[gpu idle];[untraced];f", 7},
                  {"rank 1;[gpu idle];[host busy];f", 5}}),
            "16: [host busy] 9");
}

TEST(IdleSum, MayBeNone) {
  EXPECT_EQ(idle({{"app;f;-;k_[G]", 50}}), "0");
  EXPECT_EQ(idle({{"[gpu idle]", 3}}), "3");
  EXPECT_EQ(idle({}), "0");
}

}  // namespace
}  // namespace aiflame::svg
