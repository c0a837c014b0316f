// SPDX-License-Identifier: MIT
#include "plugins/agents/cupti/stall_names.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::agent::cupti {
namespace {

std::string named(const char* metric) {
  char name[64];
  switch (stall_name(metric, name, sizeof name)) {
    case StallMetric::samples:
      return name;
    case StallMetric::exposed:
      return std::string("exposed ") + name;
    default:
      return "-";
  }
}

TEST(StallNames, OfBothFamiliesAndOfTheirTwins) {
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"),
            "exposed long_scoreboard");
  EXPECT_EQ(named("smsp__pcsamp_warp_stall_no_instructions"), "no_instructions");
  EXPECT_EQ(named("smsp__pcsamp_warp_stall_no_instructions_not_issued"), "exposed no_instructions");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_selected"), "selected");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_not_selected"), "not_selected");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_not_selected_not_issued"),
            "exposed not_selected");
}

TEST(StallNames, OfAFamilyThatIsNotKnown) {
  EXPECT_EQ(named("smsp__pcsamp_something_new"), "something_new");
  EXPECT_EQ(named("else__where"), "else__where");
  EXPECT_EQ(named("smsp__pcsamp_sample_count"), "-");
  EXPECT_EQ(named("smsp__pcsamp_samples_data_dropped"), "-");
  EXPECT_EQ(named(""), "-");
  EXPECT_EQ(named("smsp__pcsamp__not_issued"), "_not_issued");
  EXPECT_EQ(named("_not_issued"), "_not_issued");
  char small[4];
  ASSERT_EQ(stall_name("smsp__pcsamp_warp_stall_barrier", small, sizeof small),
            StallMetric::samples);
  EXPECT_STREQ(small, "bar");
}

}  // namespace
}  // namespace aiflame::agent::cupti
