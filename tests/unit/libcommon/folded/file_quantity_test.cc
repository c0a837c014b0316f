// SPDX-License-Identifier: MIT
#include "libcommon/folded/file_quantity.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr const char* kClock = "# aiflame: event gpu-clock, unit samples, period 1000 ns";
constexpr const char* kSlowClock = "# aiflame: event gpu-clock, unit samples, period 4000 ns";
constexpr const char* kTime = "# aiflame: event gpu-time, unit ns";
constexpr const char* kNone = "# comment";

FileQuantity file(const std::vector<const char*>& lines) {
  FileQuantity out;
  for (size_t i = 0; i < lines.size(); ++i) out.read(lines[i], i + 1);
  return out;
}

// The line that is written, or the error.
std::string compare(const std::vector<const char*>& before, const std::vector<const char*>& after,
                    Compared compared = Compared::counts) {
  const std::array<std::vector<std::string>, 2> paths{{{"before"}, {"after"}}};
  try {
    const Quantity out = compared_quantity(paths, {file(before), file(after)}, compared);
    return out.is_known() ? quantity_line(out) : "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(FileQuantity, TheSameIsCarriedOn) {
  EXPECT_EQ(compare({kClock}, {kNone, kClock}), std::string(kClock) + "\n");
  EXPECT_EQ(compare({kNone}, {kNone}), "");
}

TEST(FileQuantity, WhatIsUnknownIsComparedWithAnything) {
  EXPECT_EQ(compare({kClock}, {kNone}), std::string(kClock) + "\n");
  EXPECT_EQ(compare({}, {kTime}), std::string(kTime) + "\n");
}

TEST(FileQuantity, DifferentUnitsAreRefused) {
  const std::string what =
      "after:2: counts are ns (gpu-time), those of before are samples of 1000 ns (gpu-clock); "
      "--mixed compares them all the same";
  EXPECT_EQ(compare({kClock}, {kNone, kTime}), what);
  EXPECT_EQ(compare({kClock}, {kNone, kTime}, Compared::shares), what);
  EXPECT_EQ(compare({kClock}, {kTime}, Compared::mixed), "");
}

TEST(FileQuantity, DifferentPeriodsAreComparedAsShares) {
  EXPECT_EQ(compare({kClock}, {kSlowClock}),
            "after:1: counts are samples of 4000 ns (gpu-clock), those of before are samples of "
            "1000 ns (gpu-clock); --normalize compares shares, --mixed compares them all the same");
  // the counts before are scaled to such as those after
  EXPECT_EQ(compare({kClock}, {kSlowClock}, Compared::shares), std::string(kSlowClock) + "\n");
  EXPECT_EQ(compare({kClock}, {kSlowClock}, Compared::mixed), "");
}

TEST(FileQuantity, OneFileOfSeveral) {
  EXPECT_EQ(compare({kClock, kClock}, {kClock}), std::string(kClock) + "\n");
  // one side's counts are added, so shares do not help
  EXPECT_EQ(compare({kClock, kNone, kSlowClock}, {kClock}, Compared::shares),
            "before:3: counts are samples of 4000 ns (gpu-clock), those of line 1 are samples of "
            "1000 ns (gpu-clock); --mixed adds them all the same");
  FileQuantity joined = file({kNone, kClock});
  joined.add(file({kNone, kTime}), 100);
  ASSERT_TRUE(joined.conflict());
  EXPECT_EQ(joined.conflict()->place.line, 102U);
  EXPECT_EQ(joined.conflict()->reference.line, 2U);
}

TEST(FileQuantity, AKnownPeriodIsNotForgotten) {
  const char* any = "# aiflame: event gpu-clock, unit samples";
  const std::string what =
      "after:1: counts are samples of 4000 ns (gpu-clock), those of before are samples of 1000 ns "
      "(gpu-clock); --normalize compares shares, --mixed compares them all the same";
  // wherever the line without one stands
  EXPECT_EQ(compare({kClock, any}, {kSlowClock}), what);
  EXPECT_EQ(compare({any, kClock}, {kSlowClock}), what);
  EXPECT_EQ(compare({any, kClock}, {any}), std::string(any) + "\n");
  for (const std::vector<const char*>& lines :
       {std::vector{kClock, any, kSlowClock}, std::vector{any, kClock, kSlowClock}}) {
    const FileQuantity whole = file(lines);
    ASSERT_TRUE(whole.conflict());
    EXPECT_EQ(whole.conflict()->place.line, 3U);
    EXPECT_EQ(whole.conflict()->reference.quantity.period, 1000U);
    // as in parts
    FileQuantity joined = file({lines[0], lines[1]});
    EXPECT_FALSE(joined.conflict());
    EXPECT_EQ(joined.quantity().period, 0U);
    joined.add(file({lines[2]}), 2);
    ASSERT_TRUE(joined.conflict());
    EXPECT_EQ(joined.conflict()->reference.line, whole.conflict()->reference.line);
  }
  EXPECT_TRUE(file({kClock, kSlowClock, any}).conflict());
}

TEST(FileQuantity, RunsOfOneSide) {
  const std::array<std::vector<std::string>, 2> paths{{{"b1", "-"}, {"after"}}};
  const auto refusal = [&](const char* one, const char* two, const char* after,
                           Compared compared = Compared::shares) -> std::string {
    try {
      compared_quantity(paths, {file({one}), file({two}), file({after})}, compared);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(kClock, kSlowClock, kClock),
            "<stdin>:1: counts are samples of 4000 ns (gpu-clock), those of b1 are samples of 1000 "
            "ns (gpu-clock); --mixed adds them all the same");
  // the one in between says nothing
  EXPECT_NE(refusal(kClock, kNone, kTime), "");
  EXPECT_EQ(refusal(kClock, kNone, kSlowClock), "");
  // each run scaled by itself
  EXPECT_EQ(refusal(kClock, kSlowClock, kClock, Compared::run_shares), "");
  EXPECT_NE(refusal(kClock, kTime, kClock, Compared::run_shares), "");
}

}  // namespace
}  // namespace aiflame
