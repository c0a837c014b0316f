// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tools/gpustall-record/flight/control.h"
#include "tools/gpustall-record/flight/enabled_times.h"
#include "tools/gpustall-record/flight/part_files.h"

namespace aiflame::record {
namespace {

TEST(Control, KnowsPerfsCommands) {
  EXPECT_EQ(parse_command("enable"), Command::enable);
  EXPECT_EQ(parse_command("ping"), Command::ping);
  for (const char* bad : {"", "enabled", "ENABLE", "enable cycles", "sto"})
    EXPECT_EQ(parse_command(bad), std::nullopt) << bad;
}

TEST(EnabledTimes, ASliceCountsThatWasEnabledAtAnyMoment) {
  EnabledTimes times(false);
  times.set(true, 15);
  times.set(false, 32);
  times.set(true, 50);
  EXPECT_FALSE(times.has(0, 10));
  EXPECT_TRUE(times.has(10, 20));
  EXPECT_TRUE(times.has(20, 30));
  EXPECT_TRUE(times.has(30, 40));
  EXPECT_FALSE(times.has(40, 50));
  EXPECT_TRUE(times.has(50, 60));
  EXPECT_TRUE(times.is_enabled());
}

TEST(PartFiles, TimestampsHaveSixteenDigits) {
  EXPECT_EQ(part_timestamp(145085226507).size(), 16u);
  EXPECT_EQ(part_timestamp(145085226507).substr(14), "07");
}

}  // namespace
}  // namespace aiflame::record
