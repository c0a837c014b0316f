// SPDX-License-Identifier: MIT
#include "libcommon/import/range_instances.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

std::string text(const RangeInstance* one) {
  return one == nullptr ? "" : std::to_string(one->key) + "#" + std::to_string(one->number);
}

TEST(RangeInstances, AreNumberedByTimeInEachProcess) {
  RangeInstances ranges;
  ranges.add(1, 11, 50, 60, 7);
  ranges.add(1, 11, 10, 20, 7);
  ranges.add(1, 12, 30, 40, 8);
  ranges.add(2, 21, 100, 110, 7);
  ranges.finish();
  EXPECT_EQ(text(ranges.find(11, 10)), "7#1");
  EXPECT_EQ(text(ranges.find(11, 19)), "7#1");
  EXPECT_EQ(text(ranges.find(11, 20)), "");
  EXPECT_EQ(text(ranges.find(11, 9)), "");
  EXPECT_EQ(text(ranges.find(12, 35)), "8#2");
  EXPECT_EQ(text(ranges.find(11, 55)), "7#3");
  EXPECT_EQ(text(ranges.find(21, 105)), "7#1");
  EXPECT_EQ(text(ranges.find(13, 55)), "");
  EXPECT_EQ(text(ranges.find(11, 60)), "");
}

TEST(RangeInstances, WhatIsWithinAnotherIsAPartOfIt) {
  RangeInstances ranges;
  ranges.add(1, 11, 0, 100, 1);
  ranges.add(1, 11, 10, 20, 2);
  ranges.add(1, 11, 0, 100, 3);
  ranges.add(1, 11, 90, 120, 4);  // of start and end: it outlasts the first
  ranges.finish();
  ASSERT_EQ(ranges.all().size(), 2u);
  EXPECT_EQ(text(ranges.find(11, 15)), "1#1");
  EXPECT_EQ(text(ranges.find(11, 95)), "1#1");
  EXPECT_EQ(text(ranges.find(11, 110)), "4#2");
  EXPECT_TRUE(ranges.has(11, 0, 100, 1));
  EXPECT_TRUE(ranges.has(11, 90, 120, 4));
  EXPECT_FALSE(ranges.has(11, 0, 100, 3));
  EXPECT_FALSE(ranges.has(11, 10, 20, 2));
  EXPECT_FALSE(ranges.has(12, 0, 100, 1));
}

TEST(RangeInstances, OddTimes) {
  RangeInstances ranges;
  ranges.add(1, 11, INT64_MIN, INT64_MIN, 1);
  ranges.add(1, 12, 5, 5, 2);
  ranges.add(1, 12, 9, 3, 3);
  ranges.add(1, 13, 0, INT64_MAX, 4);
  ranges.finish();
  EXPECT_EQ(text(ranges.find(12, 5)), "");
  EXPECT_EQ(text(ranges.find(13, INT64_MAX - 1)), "4#2");
  EXPECT_EQ(text(ranges.find(13, INT64_MAX)), "");
  EXPECT_TRUE(ranges.has(12, 5, 5, 2));
  EXPECT_FALSE(ranges.has(11, INT64_MIN, INT64_MIN, 1));
}

}  // namespace
}  // namespace aiflame
