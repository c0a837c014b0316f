// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/gain.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aiflame::report {
namespace {

TEST(Gain, IsBoundedByWhatElseTakesTime) {
  // 80 of the kernel's 100 samples are these stalls, 10 are work; it has half of the device's time
  const Gain gain = bound_of_gain(80, {100, 10}, 200, true);
  EXPECT_DOUBLE_EQ(gain.removed, 5);
  ASSERT_TRUE(gain.overlapped);
  EXPECT_DOUBLE_EQ(*gain.overlapped, 100.0 / 90);
  // f = 1/2: 1 / (1 - f + f / 5)
  EXPECT_DOUBLE_EQ(gain.whole, 1 / (0.5 + 0.5 / 5));
}

TEST(Gain, NoMoreIsOverlappedThanThereAreStalls) {
  EXPECT_DOUBLE_EQ(*bound_of_gain(5, {100, 95}, 100, true).overlapped, 100.0 / 95);
}

TEST(Gain, OfNothingAndOfEverything) {
  EXPECT_EQ(bound_of_gain(0, {10, 10}, 10, true).removed, 1);
  EXPECT_TRUE(std::isinf(bound_of_gain(10, {10, 0}, 20, false).removed));
  EXPECT_EQ(bound_of_gain(10, {10, 0}, 20, false).whole, 2);
  EXPECT_FALSE(bound_of_gain(10, {10, 0}, 20, false).overlapped);
}

}  // namespace
}  // namespace aiflame::report
