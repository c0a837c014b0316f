// SPDX-License-Identifier: MIT
#include "libcommon/folded/frame_change.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(FrameChange, IsALineThatNeverEndsInADigit) {
  const FrameChange change{{4298, 0}, {42025, 1}, -278.25, 86, "matmul;main;f 7"};
  const std::string line = frame_change_line(change);
  EXPECT_EQ(line,
            "# aiflame-change: before 4298, after 4202.5, low -278.25, high 86, "
            "frames matmul;main;f 7;\n");
  const auto read = parse_frame_change(line.substr(0, line.size() - 1));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->before.value, 4298U);
  EXPECT_EQ(read->after.value, 42025U);
  EXPECT_EQ(read->after.decimals, 1U);
  EXPECT_EQ(read->low, -278.25);
  EXPECT_EQ(read->high, 86);
  EXPECT_EQ(read->frames, "matmul;main;f 7");
  EXPECT_FALSE(read->is_beyond_noise());
}

TEST(FrameChange, BoundsKeepSixDigitsAndTheirSign) {
  const auto written = [](double low, double high) {
    return frame_change_line({{1, 0}, {2, 0}, low, high, ""});
  };
  EXPECT_EQ(written(1234567.8, 12345678),
            "# aiflame-change: before 1, after 2, low 1234568, high 12345678, frames ;\n");
  EXPECT_EQ(written(-0.000123456789, 0),
            "# aiflame-change: before 1, after 2, low -0.000123457, high 0, frames ;\n");
  // a bound next to 0 must not become 0, which would make a real change noise
  const std::string line = written(1e-9, 5);
  EXPECT_TRUE(parse_frame_change(line.substr(0, line.size() - 1))->is_beyond_noise());
}

TEST(FrameChange, WhatIsMalformedIsPassedOver) {
  for (const char* line :
       {"# aiflame-change: before 1, after 2, low 3, high 1, frames a;",
        "# aiflame-change: before x, after 2, low 0, high 1, frames a;",
        "# aiflame-change: before 1, after 2, low nan, high 1, frames a;",
        "# aiflame-change: before 1, after 2, low -inf, high 1, frames a;",
        "# aiflame-change: before 1, after 2, low 0, high 1, frames a",
        "# aiflame-change: before 1, after 2, low 0, high 1", "# aiflame-change:", "a;b 1 2"})
    EXPECT_FALSE(parse_frame_change(line)) << line;
  EXPECT_TRUE(parse_frame_change("# aiflame-change: before 1, after 2, new x, high 1, frames a;"));
}

TEST(FrameChanges, OfHostileInputAreBounded) {
  FrameChanges changes;
  for (size_t i = 0; i < FrameChanges::kMost + 10; ++i)
    changes.read("# aiflame-change: before 1, after 2, low 0, high 1, frames a;");
  EXPECT_EQ(changes.all().size(), FrameChanges::kMost);
}

}  // namespace
}  // namespace aiflame
