// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/sample_request.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

TEST(SampleRequest, ItSaysHowAProcessIsSampled) {
  CaptureOptions options;
  take_sample_request("cupti interval=10 period=2048 mode=exact duty=25 place=0000:3d:00.0",
                      options);
  EXPECT_EQ(options.sampling, "exact");
  EXPECT_EQ(options.duty, 25u);
  EXPECT_EQ(options.period, 2048u);
}

// The process may say anything.
TEST(SampleRequest, WhatIsNoneSaysNothing) {
  CaptureOptions options;
  take_sample_request("cupti  duty=-1 period= =\x1b[31m duty mode=\x1b[31m mode=", options);
  EXPECT_EQ(options.sampling, "");
  EXPECT_EQ(options.duty, 0u);
  EXPECT_EQ(options.period, 0u);
  take_sample_request("", options);
  EXPECT_EQ(options.sampling, "");
}

}  // namespace
}  // namespace aiflame::record
