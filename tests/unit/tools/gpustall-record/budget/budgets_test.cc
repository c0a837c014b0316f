// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/budget/budgets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/gpustall-record/budget/budget_share.h"

namespace aiflame::record {
namespace {

// As many bytes as a process gets, in steps.
uint64_t fill(Budgets& budgets, Kept kind, uint32_t pid) {
  constexpr uint64_t kStep = 4096;
  uint64_t taken = 0;
  while (budgets.take(kind, pid, kStep)) taken += kStep;
  return taken;
}

TEST(Budgets, AProcessMayHaveMoreThanHalf) {
  Budgets budgets;
  const uint64_t total = Budgets::total(Kept::mappings);
  EXPECT_NEAR(static_cast<double>(fill(budgets, Kept::mappings, 1)),
              0.75 * 0.75 * static_cast<double>(total), 8192);
}

TEST(Budgets, BesideGreedyProcessesThereIsRoomForAnother) {
  Budgets budgets;
  const uint64_t total = Budgets::total(Kept::mappings);
  for (uint32_t pid = 1; pid <= 8; ++pid) fill(budgets, Kept::mappings, pid);
  EXPECT_GE(fill(budgets, Kept::mappings, 9), total / 256 - 4096);
  EXPECT_LE(budgets.used(Kept::mappings), total);
}

TEST(Budgets, AllKindsTogetherHaveABudget) {
  Budgets budgets;
  constexpr uint64_t kMost = uint64_t{136} << 20;
  for (uint32_t pid = 1; pid <= 20; ++pid)
    for (size_t kind = 0; kind < kKinds; ++kind)
      if (static_cast<Kept>(kind) != Kept::copies) fill(budgets, static_cast<Kept>(kind), pid);
  EXPECT_LE(budgets.used(), kMost);
  EXPECT_GT(budgets.used(), kMost * 3 / 4);
  // files do not take memory
  EXPECT_TRUE(budgets.take(Kept::copies, 1, uint64_t{512} << 20));
}

// A program whose stacks take all the memory that there is still gets its samples through.
TEST(Budgets, WhatPassesThroughHasRoomBesideWhatStays) {
  Budgets budgets;
  for (uint32_t pid = 1; pid <= 1000; ++pid) fill(budgets, Kept::stacks, pid);
  EXPECT_FALSE(budgets.is_passing_half_full());
  EXPECT_GE(fill(budgets, Kept::slices, 1), uint64_t{8} << 20);
  EXPECT_TRUE(budgets.is_passing_half_full());
  for (uint32_t pid = 2; pid <= 1000; ++pid) fill(budgets, Kept::slices, pid);
  EXPECT_LE(budgets.used(), uint64_t{136} << 20);
}

TEST(Budgets, WhatIsGivenBackCanBeTakenAgain) {
  Budgets budgets;
  const uint64_t taken = fill(budgets, Kept::texts, 1);
  budgets.give_back(Kept::texts, 1, taken / 2);
  EXPECT_GE(fill(budgets, Kept::texts, 1), taken / 2 - 4096);
  budgets.give_back_all(Kept::texts, 1);
  EXPECT_EQ(budgets.used(), 0u);
  {
    ASSERT_TRUE(budgets.take(Kept::code, 1, 100));
    const BudgetShare share(budgets, Kept::code, 1, 100);
    EXPECT_EQ(budgets.used(Kept::code), 100u);
  }
  EXPECT_EQ(budgets.used(Kept::code), 0u);
}

TEST(Budgets, NumbersNearTheEndDoNotWrap) {
  Budgets budgets;
  EXPECT_FALSE(budgets.take(Kept::texts, 1, UINT64_MAX));
  EXPECT_TRUE(budgets.take(Kept::texts, 1, 8));
  EXPECT_FALSE(budgets.take(Kept::texts, 1, UINT64_MAX - 7));
  EXPECT_EQ(budgets.used(), 8u);
}

TEST(Budgets, WhatWasDroppedIsSaid) {
  Budgets budgets;
  EXPECT_TRUE(budgets.report().empty());
  budgets.drop(Kept::mappings, 17);
  budgets.drop(Kept::code, 3, 5);
  budgets.drop(Kept::code, 4, 10);
  const std::vector<std::string> expected{
      "1 mapping of process 17 was not kept: functions in them read [unknown]",
      "15 code objects of 2 processes, 10 of them of process 4, were not kept: samples in them are "
      "of unknown code"};
  EXPECT_EQ(budgets.report(), expected);
  for (uint32_t pid = 100; pid < 300; ++pid) budgets.drop(Kept::code, pid);
  EXPECT_EQ(budgets.report()[1],
            "215 code objects of 64 processes and more, 10 of them of process 4, were not kept: "
            "samples in them are of unknown code");
}

}  // namespace
}  // namespace aiflame::record
