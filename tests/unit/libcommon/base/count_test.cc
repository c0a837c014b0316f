// SPDX-License-Identifier: MIT
#include "libcommon/base/count.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

std::string round_trip(const char* text) {
  const auto count = parse_count(text);
  return count ? format_count(count->value, count->decimals) : "none";
}

TEST(Count, FractionsAreExact) {
  EXPECT_EQ(round_trip("0"), "0");
  EXPECT_EQ(round_trip("34."), "34");
  EXPECT_EQ(round_trip("0.5"), "0.5");
  EXPECT_EQ(round_trip("12.050"), "12.05");
  EXPECT_EQ(round_trip("0.000001"), "0.000001");
  EXPECT_EQ(round_trip("18446744073709551615"), "18446744073709551615");
}

TEST(Count, MoreDecimalsAreRounded) {
  EXPECT_EQ(round_trip("1.0000004"), "1");
  EXPECT_EQ(round_trip("1.0000005"), "1.000001");
  EXPECT_EQ(round_trip("0.9999999"), "1");
}

TEST(Count, RejectsOtherText) {
  for (const char* text : {"", ".", ".5", "-1", "+1", " 1", "1e3", "1.x", "18446744073709551616",
                           "18446744073709551615.5"})
    EXPECT_EQ(round_trip(text), "none") << text;
}

TEST(Count, Commas) {
  EXPECT_EQ(format_count_with_commas(0, 0), "0");
  EXPECT_EQ(format_count_with_commas(999, 0), "999");
  EXPECT_EQ(format_count_with_commas(1000, 0), "1,000");
  EXPECT_EQ(format_count_with_commas(1234567890, 0), "1,234,567,890");
  EXPECT_EQ(format_count_with_commas(12345678, 4), "1,234.5678");
}

TEST(Count, OverflowChangesNothing) {
  uint64_t value = UINT64_MAX;
  EXPECT_FALSE(add_checked(value, 1));
  EXPECT_FALSE(multiply_checked(value, 2));
  EXPECT_EQ(value, UINT64_MAX);
}

}  // namespace
}  // namespace aiflame
