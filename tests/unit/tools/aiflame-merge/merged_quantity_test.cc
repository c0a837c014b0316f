// SPDX-License-Identifier: MIT
#include "tools/aiflame-merge/merged_quantity.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame::merge {
namespace {

FileQuantity says(std::initializer_list<const char*> lines) {
  FileQuantity out;
  uint64_t number = 0;
  for (const char* line : lines) out.read(line, ++number);
  return out;
}

const auto kStalls = says({"# aiflame: event gpu-stall, unit stalls, period 7 cycles"});
const auto kShort = says({"# aiflame: event gpu-stall, unit stalls"});
const auto kTimes = says({"# aiflame: event gpu-time, unit ns"});

TEST(MergedQuantity, IsWhatAllSay) {
  EXPECT_EQ(merged_quantity({"a", "b"}, {kStalls, kShort}, false).event, "gpu-stall");
  EXPECT_EQ(merged_quantity({"a", "b"}, {kStalls, kStalls}, false).period, 7U);
  EXPECT_TRUE(merged_quantity({"a", "b"}, {says({}), kTimes}, false).is_time());
  EXPECT_FALSE(merged_quantity({"a"}, {says({})}, false).is_known());
}

TEST(MergedQuantity, OnlyWhatAllFilesMeasuredIsMeasured) {
  const auto measured = says({"# aiflame: event gpu-time, unit ns, weights measured"});
  EXPECT_TRUE(merged_quantity({"a", "b"}, {measured, measured}, false).measured);
  EXPECT_FALSE(merged_quantity({"a", "b"}, {measured, says({})}, false).measured);
}

TEST(MergedQuantity, TheFirstFileThatDiffersIsNamed) {
  try {
    merged_quantity({"a", "b", "c", "-"}, {says({}), kTimes, kTimes, kStalls}, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "<stdin>:1: counts are stalls of 7 cycles (gpu-stall), those of b are ns "
                 "(gpu-time); --mixed adds them all the same");
  }
  EXPECT_FALSE(merged_quantity({"a", "b"}, {kTimes, kStalls}, true).is_known());
}

}  // namespace
}  // namespace aiflame::merge
