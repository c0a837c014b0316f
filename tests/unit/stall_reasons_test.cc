// SPDX-License-Identifier: MIT
#include "libcommon/stall_reasons.h"

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

}  // namespace
}  // namespace aiflame
