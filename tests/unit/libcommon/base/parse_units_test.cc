// SPDX-License-Identifier: MIT
#include "libcommon/base/parse_units.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(ParseUnits, SizesAndTimesNeedAUnit) {
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

}  // namespace
}  // namespace aiflame
