// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/function_sum.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// "f 7; by main 5"
std::string costliest(const std::vector<std::pair<std::string, uint64_t>>& stacks) {
  StackSorter sorter;
  for (const auto& [stack, count] : stacks) sorter.add(stack, count);
  const FlameTree tree = merged_tree(std::move(sorter));
  const auto text = [&](const FunctionSum::Part& part) {
    return std::string(tree.names()[part.name]) + " " + std::to_string(part.count);
  };
  const auto sum = costliest_function(tree);
  if (!sum) return "";
  return text(sum->function) + (sum->caller ? "; by " + text(*sum->caller) : "");
}

TEST(FunctionSum, CountsWithoutWhatItCalls) {
  EXPECT_EQ(
      costliest({{"app;main;f", 4}, {"app;main;f;g", 5}, {"app;main;h;g", 2}, {"app;main;h", 6}}),
      "g 7; by f 5");
  EXPECT_EQ(costliest({{"app;main;f;g", 5}, {"app;main;h;g", 5}}), "g 10; by f 5");
}

TEST(FunctionSum, TheOutermostFrameIsNoCaller) {
  EXPECT_EQ(costliest({{"app;main", 5}, {"other;main", 5}}), "main 10");
  EXPECT_EQ(costliest({{"main", 5}}), "main 5");
  EXPECT_EQ(costliest({}), "");
}

TEST(FunctionSum, NothingInBracketsIsAFunction) {
  EXPECT_EQ(costliest({{"cc1plus;main;[cc1plus];[unknown];f", 2}, {"cc1plus;main;[cc1plus]", 90}}),
            "f 2; by main 2");
  EXPECT_EQ(costliest({{"[app];[unknown <0x10>];-", 7}}), "");
}

TEST(FunctionSum, ARecursiveFunctionIsCalledByAnother) {
  EXPECT_EQ(costliest({{"app;main;walk;walk;walk", 3}, {"app;main;walk;[unknown];walk", 2}}),
            "walk 5; by main 5");
}

TEST(FunctionSum, AnIdleProcessorCostsNothing) {
  for (const char* idle : {"swapper", "swapper-0", "swapper-?/0"})
    EXPECT_EQ(costliest({{std::string(idle) + ";do_idle_[k];native_safe_halt_[k]", 90},
                         {"app;main;f", 2}}),
              "f 2; by main 2")
        << idle;
  EXPECT_EQ(costliest({{"swapper2;main;f", 3}, {"app;main;g", 2}}), "f 3; by main 3");
}

}  // namespace
}  // namespace aiflame::svg
