// SPDX-License-Identifier: MIT
#include "plugins/agents/level-zero/device_ticks.h"

#include <gtest/gtest.h>

namespace aiflame::agent::level_zero {
namespace {

constexpr DeviceTicks kIntel{19200000, 32};

TEST(DeviceTicks, Nanoseconds) {
  EXPECT_EQ(kIntel.nanoseconds(19200000), 1000000000u);
  EXPECT_EQ(kIntel.nanoseconds(1), 52u);
  EXPECT_EQ((DeviceTicks{12500000, 36}.nanoseconds(UINT64_C(1) << 36)), 5497558138880u);
  // no overflow on the way
  EXPECT_EQ((DeviceTicks{1000000000, 64}.nanoseconds(UINT64_MAX)), UINT64_MAX);
}

TEST(DeviceTicks, AroundTheEndOfTheRange) {
  EXPECT_EQ(kIntel.between(0xfffffff0, 0x10), 0x20u);
  EXPECT_EQ(kIntel.between(0x10, 0x10), 0u);
  EXPECT_EQ((DeviceTicks{1, 64}.between(UINT64_MAX, 1)), 2u);
}

TEST(DeviceTicks, BeforeAndBehindTheMomentThatIsKnown) {
  constexpr uint64_t kThen = UINT64_C(5000000000);
  EXPECT_EQ(kIntel.time_of(1000 + 19200, 1000, kThen), kThen + 1000000);
  EXPECT_EQ(kIntel.time_of(1000 - 960, 1000, kThen), kThen - 50000);
  // over the end of the range, both ways
  EXPECT_EQ(kIntel.time_of(0x100, 0xffffff00, kThen), kThen + kIntel.nanoseconds(0x200));
  EXPECT_EQ(kIntel.time_of(0xffffff00, 0x100, kThen), kThen - kIntel.nanoseconds(0x200));
}

TEST(DeviceTicks, NeverBeforeTheBeginningOfTime) {
  EXPECT_EQ(kIntel.time_of(0, 19200000, 10), 0u);
}

}  // namespace
}  // namespace aiflame::agent::level_zero
