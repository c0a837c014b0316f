// SPDX-License-Identifier: MIT
#include "libcommon/findings/gain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libcommon/base/program.h"

namespace aiflame {
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

TEST(Gain, AtMostIsNeverRoundedDown) {
  EXPECT_EQ(times_text(1.3832), "1.39");
  EXPECT_EQ(times_text(1.3801), "1.39");
  EXPECT_EQ(times_text(1.0000001), "1.01");
  EXPECT_EQ(times_text(1), "1.00");
  for (uint64_t less = 0; less < 10; ++less)  // 100 / 100, 110 / 100, …
    EXPECT_EQ(times_text(bound_of_gain(10 * less, {100 + 10 * less, 0}, 1000, false).removed),
              format("%.2f", 1 + 0.1 * static_cast<double>(less)));
  EXPECT_EQ(times_text(99.991), "100.00");
  EXPECT_EQ(times_text(1234.2), "1235");
}

TEST(Gain, OfNothingAndOfEverything) {
  EXPECT_EQ(bound_of_gain(0, {10, 10}, 10, true).removed, 1);
  EXPECT_TRUE(std::isinf(bound_of_gain(10, {10, 0}, 20, false).removed));
  EXPECT_EQ(bound_of_gain(10, {10, 0}, 20, false).whole, 2);
  EXPECT_FALSE(bound_of_gain(10, {10, 0}, 20, false).overlapped);
}

}  // namespace
}  // namespace aiflame
