// SPDX-License-Identifier: MIT
#include "libcommon/folded/time_step.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

TEST(TimeStep, NamesTheStartOfTheInterval) {
  const TimeStep it("10");
  EXPECT_TRUE(it.is_set());
  EXPECT_EQ(it.name(5012017000000), "5012.010");
  EXPECT_EQ(it.name(5012010000000), "5012.010");
  EXPECT_EQ(it.name(5012009999999), "5012.000");
  EXPECT_EQ(it.name(0), "0.000");
  EXPECT_EQ(it.name(std::nullopt), "[unknown time]");
  EXPECT_FALSE(TimeStep().is_set());
}

TEST(TimeStep, HasTheDecimalsItNeeds) {
  EXPECT_EQ(TimeStep("1000").name(5012987654321), "5012.000");
  EXPECT_EQ(TimeStep("2.5").name(5012987654321), "5012.9875");
  EXPECT_EQ(TimeStep("0.25").name(5012987654321), "5012.98750");
  EXPECT_EQ(TimeStep("0.000001").name(5012987654321), "5012.987654321");
  EXPECT_EQ(TimeStep("7").name(20000000), "0.014");
  EXPECT_EQ(TimeStep("10000000000").name(UINT64_MAX), "18440000000.000");
}

TEST(TimeStep, Refused) {
  for (const char* text :
       {"", "0", "0.0", "x", "-1", "1ms", "0.0000001", "1e3", "99999999999999999999"})
    EXPECT_THROW(TimeStep{text}, UsageError) << text;
}

}  // namespace
}  // namespace aiflame
