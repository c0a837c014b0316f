// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/filter/time_ranges.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame::collapse {
namespace {

constexpr uint64_t kSecond = 1000000000;

TEST(TimeRanges, NoneIsAllTimes) {
  const TimeRanges it;
  EXPECT_TRUE(it.all());
  EXPECT_TRUE(it.contains(0));
  EXPECT_TRUE(it.contains(UINT64_MAX));
}

TEST(TimeRanges, BothEndsAreIn) {
  const TimeRanges it("5012.5,5013");
  EXPECT_FALSE(it.all());
  EXPECT_FALSE(it.contains(5012 * kSecond + kSecond / 2 - 1));
  EXPECT_TRUE(it.contains(5012 * kSecond + kSecond / 2));
  EXPECT_TRUE(it.contains(5013 * kSecond));
  EXPECT_FALSE(it.contains(5013 * kSecond + 1));
}

TEST(TimeRanges, EitherEndMayBeMissing) {
  EXPECT_TRUE(TimeRanges("2,").contains(UINT64_MAX));
  EXPECT_FALSE(TimeRanges("2,").contains(1));
  EXPECT_TRUE(TimeRanges(",2").contains(0));
  EXPECT_FALSE(TimeRanges(",2").contains(3 * kSecond));
  EXPECT_TRUE(TimeRanges(",").contains(7));
  EXPECT_FALSE(TimeRanges(",").all());
}

TEST(TimeRanges, SeveralInOrder) {
  const TimeRanges it(" 1,2 4.000000001, ");
  EXPECT_TRUE(it.contains(2 * kSecond));
  EXPECT_FALSE(it.contains(3 * kSecond));
  EXPECT_FALSE(it.contains(4 * kSecond));
  EXPECT_TRUE(it.contains(4 * kSecond + 1));
}

TEST(TimeRanges, PartsAreOfTheWhole) {
  TimeRanges it("10%/2,50%-60%");
  EXPECT_TRUE(it.needs_whole());
  EXPECT_FALSE(it.all());
  it.of_whole(1000, 2000);
  EXPECT_FALSE(it.contains(1099));
  EXPECT_TRUE(it.contains(1100));
  EXPECT_TRUE(it.contains(1199));
  EXPECT_FALSE(it.contains(1200));  // of the next tenth
  EXPECT_TRUE(it.contains(1500));
  EXPECT_FALSE(it.contains(1600));
  it.of_whole(0, 100);  // of another input
  EXPECT_TRUE(it.contains(10));
  EXPECT_FALSE(it.contains(1100));
}

TEST(TimeRanges, PartsTogetherAreTheWhole) {
  constexpr uint64_t kFirst = 13577938751123, kLast = 13579242073999;
  for (uint64_t time :
       {kFirst, kFirst + 1, kLast - 1, kLast, kFirst + 130332287, kFirst + 130332288}) {
    int in = 0;
    for (int i = 1; i <= 10; ++i) {
      TimeRanges it("10%/" + std::to_string(i));
      it.of_whole(kFirst, kLast);
      in += it.contains(time) ? 1 : 0;
    }
    EXPECT_EQ(in, 1) << time;
  }
}

TEST(TimeRanges, HostileWholes) {
  TimeRanges it("100%");
  it.of_whole(0, UINT64_MAX);
  EXPECT_TRUE(it.contains(UINT64_MAX));
  it.of_whole(10, 5);  // the header may say anything
  EXPECT_TRUE(it.contains(5));
  EXPECT_FALSE(it.contains(6));
}

TEST(TimeRanges, Refused) {
  for (const char* text : {"",
                           " ",
                           "5012",
                           "a,",
                           "1,b",
                           "2,1",
                           "1,2,3",
                           "1,3 2,4",
                           "1, 2,3",
                           "-1,2",
                           "1.0123456789,",
                           "+1,",
                           "%",
                           "10%/0",
                           "10%/11",
                           "0%/1",
                           "-10%",
                           "101%",
                           "nan%",
                           "inf%",
                           "10%-",
                           "20%-10%",
                           "10%,",
                           "10%/1 10%/2",
                           "10%/-1",
                           "1%/99999999999999999999",
                           "1e3,"})
    EXPECT_THROW(TimeRanges{text}, UsageError) << text;
}

}  // namespace
}  // namespace aiflame::collapse
