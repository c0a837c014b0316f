// SPDX-License-Identifier: MIT
#include "libcommon/findings/stall_findings.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(StallFindings, StallsThatCostWithTheirBounds) {
  const StallFindings stalls = find_stalls({{0, "selected", 50, 50},
                                            {0, "not_selected", 10, 10},
                                            {0, "long_scoreboard", 30, 30},
                                            {0, "wait", 10, 10},
                                            {1, "long_scoreboard", 100, 100}});
  ASSERT_EQ(stalls.found.size(), 3u);
  EXPECT_FALSE(stalls.exposed);
  EXPECT_EQ(stalls.found[0].index, 2u);
  EXPECT_DOUBLE_EQ(stalls.found[0].share, 0.75);
  EXPECT_DOUBLE_EQ(stalls.found[0].gain.removed, 100. / 70);
  EXPECT_DOUBLE_EQ(stalls.found[0].gain.whole, 200. / 170);
  EXPECT_DOUBLE_EQ(*stalls.found[0].gain.overlapped, 100. / 70);
  EXPECT_EQ(stalls.found[1].index, 3u);
  EXPECT_EQ(stalls.found[2].index, 4u);
  EXPECT_DOUBLE_EQ(stalls.found[2].share, 1);
}

TEST(StallFindings, HiddenStallsOfHpctoolkitLeaveTheExposedOnes) {
  const StallFindings stalls = find_stalls({{0, "stl_hid", 10, 10}, {0, "stl_mem", 5, 5}});
  EXPECT_TRUE(stalls.exposed);
  ASSERT_EQ(stalls.found.size(), 1u);
  EXPECT_FALSE(stalls.found[0].gain.overlapped);  // no sample of issued work
}

TEST(StallFindings, NothingOfNothing) {
  EXPECT_TRUE(find_stalls({}).found.empty());
  EXPECT_TRUE(find_stalls({{0, "active", 5, 5}}).found.empty());
}

}  // namespace
}  // namespace aiflame
