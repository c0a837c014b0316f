// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/timed_stacks.h"

#include <gtest/gtest.h>

namespace aiflame::cost {
namespace {

TEST(TimedStacks, KnowTheirUnit) {
  EXPECT_DOUBLE_EQ(*seconds_of_count({.unit = "ns"}), 1e-9);
  EXPECT_DOUBLE_EQ(*seconds_of_count({.unit = "us"}), 1e-6);
  EXPECT_DOUBLE_EQ(*seconds_of_count({.unit = "ms"}), 1e-3);
  EXPECT_DOUBLE_EQ(*seconds_of_count({.unit = "s"}), 1);
  // a period in the counts' own unit is in the counts already
  EXPECT_DOUBLE_EQ(*seconds_of_count({.unit = "ns", .period = 5, .period_unit = "ns"}), 1e-9);
  EXPECT_DOUBLE_EQ(*seconds_of_count({.unit = "samples", .period = 1'003'009, .period_unit = "ns"}),
                   1.003009e-3);
}

TEST(TimedStacks, AreNotStallsOrCycles) {
  EXPECT_FALSE(seconds_of_count({.unit = "samples"}));
  EXPECT_FALSE(seconds_of_count({.unit = "samples", .period = 4, .period_unit = "cycles"}));
  EXPECT_FALSE(seconds_of_count({.unit = "stalls", .period = 4, .period_unit = "ns"}));
  EXPECT_FALSE(seconds_of_count({.unit = "nJ"}));
}

}  // namespace
}  // namespace aiflame::cost
