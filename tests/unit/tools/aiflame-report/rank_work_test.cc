// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/rank_work.h"

#include <gtest/gtest.h>

namespace aiflame::report {
namespace {

constexpr uint32_t kScale = 100, kCopy = 101, kSbid = 200, kPipe = 201;

TEST(RankWork, NamesTheStragglerAndWhy) {
  RankWork work;
  for (const uint32_t rank : {0u, 1u, 2u, 3u}) {
    work.add({rank, kScale, kSbid}, rank == 2 ? 3000 : 1000);
    work.add({rank, kScale, kPipe}, rank == 2 ? 1200 : 1000);
    work.add({rank, kCopy, kSbid}, 1000);
  }
  const auto found = work.straggler(1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 2u);
  EXPECT_DOUBLE_EQ(found->times, 5200.0 / 3000);
  EXPECT_EQ(found->place, kScale);
  EXPECT_EQ(found->reason, kSbid);
  EXPECT_DOUBLE_EQ(found->more, 2200);
}

TEST(RankWork, ARankThatOnlyWaitsCounts) {
  RankWork work;
  work.add({0, kScale, RankWork::kNone}, 1000);
  EXPECT_FALSE(work.straggler(1)) << "alone";
  work.see(1);
  const auto found = work.straggler(1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 0u);
  EXPECT_EQ(found->reason, RankWork::kNone);
}

TEST(RankWork, ChanceIsNoStraggler) {
  RankWork work;
  work.add({0, kScale, kSbid}, 120);
  work.add({1, kScale, kSbid}, 100);
  EXPECT_FALSE(work.straggler(1));
  work.multiply(100);  // the same shares of many more samples
  EXPECT_TRUE(work.straggler(1));
  EXPECT_FALSE(work.straggler(100)) << "but for few samples of 100 each";
}

TEST(RankWork, AlmostAlike) {
  RankWork work;
  work.add({0, kScale, kSbid}, 1040000);
  work.add({1, kScale, kSbid}, 1000000);
  EXPECT_FALSE(work.straggler(1));
}

}  // namespace
}  // namespace aiflame::report
