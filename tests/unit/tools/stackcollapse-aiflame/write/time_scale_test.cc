// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/time_scale.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame::collapse {
namespace {

TEST(TimeScale, IsAPeriodOrAShareOfTheBusyTime) {
  EXPECT_TRUE(TimeScale().is_none());
  EXPECT_EQ(TimeScale().of(12), 12U);
  EXPECT_EQ(TimeScale::of_period(1003009).of(2), 2006018U);
  const TimeScale busy = TimeScale::of_busy(9000000, 68);
  EXPECT_EQ(busy.of(68), 9000000U);
  EXPECT_EQ(busy.of(1), 132352U);
  EXPECT_NEAR(busy.nanoseconds(), 132352.94, 0.01);
}

TEST(TimeScale, LargeProductsAreExactAndTooLargeTimesAreErrors) {
  const TimeScale busy = TimeScale::of_busy(UINT64_MAX, UINT64_MAX - 1);
  EXPECT_EQ(busy.of(UINT64_MAX - 1), UINT64_MAX);
  EXPECT_THROW(TimeScale::of_period(2).of(UINT64_MAX), Error);
}

}  // namespace
}  // namespace aiflame::collapse
