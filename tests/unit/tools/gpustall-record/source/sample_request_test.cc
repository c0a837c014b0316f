// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/sample_request.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

TEST(SampleRequest, ItSaysHowAProcessIsSampled) {
  CapturePlan plan;
  take_sample_request("cupti interval=10 period=2048 mode=exact duty=25 place=0000:3d:00.0", plan);
  EXPECT_EQ(plan.sampling, "exact");
  EXPECT_EQ(plan.duty, 25u);
  EXPECT_EQ(plan.period, 2048u);
}

// The process may say anything.
TEST(SampleRequest, WhatIsNoneSaysNothing) {
  CapturePlan plan;
  take_sample_request("cupti  duty=-1 period= =\x1b[31m duty mode=\x1b[31m mode=", plan);
  EXPECT_EQ(plan.sampling, "");
  EXPECT_EQ(plan.duty, 0u);
  EXPECT_EQ(plan.period, 0u);
  take_sample_request("", plan);
  EXPECT_EQ(plan.sampling, "");
}

}  // namespace
}  // namespace aiflame::record
