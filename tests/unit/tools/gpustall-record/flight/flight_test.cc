// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tools/gpustall-record/flight/control.h"
#include "tools/gpustall-record/flight/enabled_times.h"
#include "tools/gpustall-record/flight/flight_options.h"
#include "tools/gpustall-record/flight/part_files.h"

namespace aiflame::record {
namespace {

TEST(FlightOptions, SizesAndTimesNeedAUnit) {
  EXPECT_EQ(parse_bytes("7B"), 7u);
  EXPECT_EQ(parse_bytes("64M"), uint64_t{64} << 20);
  EXPECT_EQ(parse_bytes("2G"), uint64_t{2} << 30);
  for (const char* bad : {"", "M", "64", "0K", "64m", "-1K", "1.5M", "99999999999999999G"})
    EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
  EXPECT_EQ(parse_duration("30s"), uint64_t{30} * 1000000000);
  EXPECT_EQ(parse_duration("10m"), uint64_t{600} * 1000000000);
  EXPECT_EQ(parse_duration("1d"), uint64_t{86400} * 1000000000);
  for (const char* bad : {"", "s", "0s", "30M", "30S", "99999999999d"})
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
}

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
