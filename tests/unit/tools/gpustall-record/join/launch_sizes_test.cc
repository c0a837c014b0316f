// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/launch_sizes.h"

#include <gtest/gtest.h>

#include "tools/gpustall-record/join/launch_table.h"

namespace aiflame::record {
namespace {

LaunchSize of(uint64_t items) {
  return {{items, 1, 1}, {64, 1, 1}, 0};
}

TEST(LaunchSizes, ProcessesShareSizesAndHaveIdsOfTheirOwn) {
  Budgets budgets;
  LaunchSizes sizes;
  sizes.add(7, 100, of(1), budgets);
  sizes.add(8, 200, of(1), budgets);
  sizes.add(8, 100, of(2), budgets);
  EXPECT_EQ(sizes.find(7, 100), sizes.find(8, 200));
  EXPECT_NE(sizes.find(7, 100), sizes.find(8, 100));
  EXPECT_EQ(sizes.at(sizes.find(8, 100)), of(2));
  EXPECT_EQ(sizes.find(7, 200), 0u);
  const uint32_t number = sizes.find(7, 100);
  sizes.forget(7);
  EXPECT_EQ(sizes.find(7, 100), 0u);
  EXPECT_EQ(sizes.find(8, 200), number);
  EXPECT_EQ(sizes.at(number), of(1));  // for slices that are written later
}

// A process that reports ever new sizes fills neither the table nor its neighbours' room.
TEST(LaunchSizes, AreBounded) {
  Budgets budgets;
  LaunchSizes sizes;
  uint64_t known = 0;
  for (uint64_t i = 1; i <= 200000; ++i) {
    sizes.add(7, i, of(i), budgets);
    known += sizes.find(7, i) != 0 ? 1 : 0;
  }
  EXPECT_GT(known, 10000u);
  EXPECT_LE(known, LaunchSizes::kMost);
  EXPECT_LE(budgets.used(Kept::tables), Budgets::total(Kept::tables));
  sizes.add(8, 1, of(1), budgets);
  EXPECT_NE(sizes.find(8, 1), 0u);
}

TEST(DistinctLaunch, HasSoManySizesAtMost) {
  DistinctLaunch launch;
  for (uint32_t size = 1; size <= 100; ++size)
    EXPECT_EQ(launch.admit(size), size <= DistinctLaunch::kMaxSizes ? size : 0u);
  EXPECT_EQ(launch.admit(3), 3u);
  EXPECT_EQ(launch.admit(0), 0u);
}

}  // namespace
}  // namespace aiflame::record
