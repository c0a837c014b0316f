// SPDX-License-Identifier: MIT
#include "libcommon/timeline/launch_coverage.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(LaunchCoverage, NineOfTenLaunchesTellIdleTime) {
  CoverageCount count;
  for (int i = 0; i < 10; ++i) count.add_launch(i > 0);
  EXPECT_EQ(coverage_text(count.sum()), "9 of 10 launched kernels are recorded (90.00 %)");
  EXPECT_TRUE(count.sum().tells_idle());
  count.add_launch(false);
  EXPECT_EQ(coverage_text(count.sum()),
            "9 of 11 launched kernels are recorded (81.82 %): time without records is not called "
            "idle");
  EXPECT_FALSE(count.sum().tells_idle());
}

TEST(LaunchCoverage, ReplaysCountByTheirKernels) {
  CoverageCount count;
  count.add_replay(544, 544);
  count.add_replay(500, 544);
  for (int i = 0; i < 3; ++i) count.add_replay(0, 0);
  EXPECT_EQ(count.sum().kernels, 1044u);
  EXPECT_EQ(count.sum().launched, 5 * 544u);
}

TEST(LaunchCoverage, WithoutAnyRecordAReplayIsOneLaunch) {
  CoverageCount count;
  EXPECT_TRUE(count.sum().is_whole());
  EXPECT_TRUE(count.sum().tells_idle());
  count.add_replay(0, 0);
  EXPECT_EQ(count.sum().launched, 1u);
  EXPECT_FALSE(count.sum().tells_idle());
}

}  // namespace
}  // namespace aiflame
