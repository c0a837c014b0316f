// SPDX-License-Identifier: MIT
#include "libcommon/device/stall_reasons.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace aiflame {
namespace {

TEST(StallReasons, EachHasItsOwnNameAndSentences) {
  std::set<std::string> names;
  for (const StallReason& one : stall_reasons()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(find_stall_reason(one.name), &one);
    EXPECT_TRUE(std::string(one.meaning).ends_with(".")) << one.name;
    if (*one.advice != '\0') {
      EXPECT_TRUE(std::string(one.advice).ends_with(".")) << one.name;
    }
  }
}

TEST(StallReasons, NamesOfCupti) {
  const StallReason* wait = find_stall_reason("wait");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(find_stall_reason("smsp__pcsamp_warps_issue_stalled_wait"), wait);
  EXPECT_EQ(find_stall_reason("smsp__pcsamp_warps_issue_stalled_wait_not_issued"), wait);
  EXPECT_EQ(find_stall_reason("smsp__pcsamp_warp_stall_wait"), wait);
}

TEST(StallReasons, OthersAreNotKnown) {
  EXPECT_EQ(find_stall_reason(""), nullptr);
  EXPECT_EQ(find_stall_reason("send.ugm"), nullptr);
  EXPECT_EQ(find_stall_reason("wait_not_issued"), nullptr);
}

// The reasons in libnvperf_host of CUDA 13.0, in both families of names.
TEST(StallReasons, EachOfNvidiasHasASentence) {
  for (const char* each :
       {"barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
        "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
        "no_instructions", "not_selected", "selected", "short_scoreboard", "sleeping",
        "tex_throttle", "wait", "warpgroup_arrive"}) {
    const std::string name = each;
    const StallReason* found = find_stall_reason(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_STREQ(found->vendor, "NVIDIA");
    EXPECT_EQ(find_stall_reason("smsp__pcsamp_warp_stall_" + name), found);
    EXPECT_EQ(find_stall_reason("smsp__pcsamp_warps_issue_stalled_" + name + "_not_issued"), found);
  }
  // issuing is no stall
  const std::string selected = find_stall_reason("selected")->meaning;
  EXPECT_NE(selected.find("not a stall"), std::string::npos);
}

}  // namespace
}  // namespace aiflame
