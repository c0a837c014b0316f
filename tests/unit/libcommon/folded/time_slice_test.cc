// SPDX-License-Identifier: MIT
#include "libcommon/folded/time_slice.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(TimeSlice, StartIsATimeWithThreeDecimalsOrMore) {
  EXPECT_EQ(slice_start("5012.010"), 5012010000000U);
  EXPECT_EQ(slice_start("0.00025"), 250000U);
  for (const char* text : {"", "5012", "5012.01", ".010", "5012.", "a.010", "5012.010x", "-1.000",
                           "99999999999.000", "1.0000000000", "[unknown time]", "1.000.000"})
    EXPECT_FALSE(slice_start(text)) << text;
}

TEST(TimeSlice, MayBeUnknown) {
  EXPECT_TRUE(is_slice("5012.010"));
  EXPECT_TRUE(is_slice("[unknown time]"));
  EXPECT_FALSE(is_slice("[unknown]"));
}

}  // namespace
}  // namespace aiflame
