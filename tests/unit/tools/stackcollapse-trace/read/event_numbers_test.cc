// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/event_numbers.h"

#include <gtest/gtest.h>

#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {
namespace {

TEST(EventNumbers, MicrosecondsAreExactNanoseconds) {
  EXPECT_EQ(parse_microseconds("1120.007"), 1120007);
  EXPECT_EQ(parse_microseconds("1120"), 1120000);
  EXPECT_EQ(parse_microseconds("0.1"), 100);
  // more digits than a double has
  EXPECT_EQ(parse_microseconds("6520488433299.504"), 6520488433299504);
  EXPECT_EQ(parse_microseconds("1759330000000000.123"), 1759330000000000123);
  EXPECT_EQ(parse_microseconds("-5.5"), -5500);
}

TEST(EventNumbers, MicrosecondsMayHaveAnExponent) {
  EXPECT_EQ(parse_microseconds("1.12e3"), 1120000);
  EXPECT_EQ(parse_microseconds("1E1"), 10000);
  EXPECT_EQ(parse_microseconds("15e-3"), 15);
  EXPECT_EQ(parse_microseconds("0e100"), 0);
}

TEST(EventNumbers, DigitsAfterTheNanosecondAreRounded) {
  EXPECT_EQ(parse_microseconds("1.0004"), 1000);
  EXPECT_EQ(parse_microseconds("1.0005"), 1001);
  EXPECT_EQ(parse_microseconds("1.00049999999999999999999999"), 1000);
  EXPECT_EQ(parse_microseconds("5e-5"), 0);
}

TEST(EventNumbers, WhatIsNoTimeIsNone) {
  for (const char* text : {"", "-", ".", "abc", "1.5x", "1e", "1e1000", "99999999999999999999",
                           "9223372036854775.808", "1e19", "--1", "NaN"})
    EXPECT_FALSE(parse_microseconds(text)) << text;
}

TEST(EventNumbers, Ids) {
  EXPECT_EQ(parse_id("305"), 305u);
  EXPECT_EQ(parse_id("0x131"), 305u);
  for (const char* text : {"", "-1", "null", "1.5", "99999999999999999999"})
    EXPECT_EQ(parse_id(text), Event::kNone) << text;
  EXPECT_EQ(parse_flow_id("305"), parse_flow_id("0x131"));
  EXPECT_NE(parse_flow_id("a"), parse_flow_id("b"));
  EXPECT_EQ(parse_flow_id(""), Event::kNone);
}

}  // namespace
}  // namespace aiflame::trace
