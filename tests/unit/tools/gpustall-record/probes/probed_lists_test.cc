// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/probed_lists.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

struct Reports {
  std::map<std::string, int64_t> at_once, executed;
  ProbedLists::Report report = [this](const ProbedLists::Appended& what, uint64_t count, bool run,
                                      bool retract) {
    auto& to = run ? executed : at_once;
    const auto signed_count = static_cast<int64_t>(count);
    to[what.kernel] += retract ? -signed_count : signed_count;
  };
};

using Counts = std::map<std::string, int64_t>;

TEST(ProbedLists, AnImmediateListLaunchesAtOnce) {
  Reports got;
  Budgets budgets;
  ProbedLists lists(budgets);
  lists.create(1, 7, true);
  for (int i = 0; i < 3; ++i) lists.append(1, 7, {"scale", {1}}, got.report);
  EXPECT_EQ(got.at_once, (Counts{{"scale", 3}}));
}

TEST(ProbedLists, ARegularListLaunchesAllOfItEachTime) {
  Reports got;
  Budgets budgets;
  ProbedLists lists(budgets);
  lists.create(1, 7, false);
  lists.append(1, 7, {"scale", {1}}, got.report);
  lists.append(1, 7, {"scale", {2}}, got.report);
  lists.append(1, 7, {"add", {1}}, got.report);
  lists.close(1, 7, got.report);
  EXPECT_TRUE(got.at_once.empty());
  for (int i = 0; i < 5; ++i) lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"add", 5}, {"scale", 10}}));
  lists.reset(1, 7, got.report);
  lists.execute(1, 7, got.report);
  lists.append(1, 7, {"add", {1}}, got.report);
  lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"add", 6}, {"scale", 10}}));
  EXPECT_TRUE(got.at_once.empty());
}

TEST(ProbedLists, TheContentOfAnOlderListIsUnknown) {
  Reports got;
  Budgets budgets;
  ProbedLists lists(budgets);
  lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"", 1}}));
  // also when something is added to it
  lists.append(1, 7, {"scale", {1}}, got.report);
  lists.close(1, 7, got.report);
  lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"", 2}, {"scale", 1}}));
  // until it is reset
  lists.reset(1, 7, got.report);
  lists.append(1, 7, {"add", {1}}, got.report);
  lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"", 2}, {"scale", 1}, {"add", 1}}));
}

TEST(ProbedLists, AnOlderListIsTakenForImmediateUntilItIsClosed) {
  Reports got;
  Budgets budgets;
  ProbedLists lists(budgets);
  lists.append(1, 7, {"scale", {1}}, got.report);
  lists.append(1, 7, {"scale", {1}}, got.report);
  lists.append(1, 8, {"add", {1}}, got.report);
  EXPECT_EQ(got.at_once, (Counts{{"add", 1}, {"scale", 2}}));
  lists.close(1, 7, got.report);
  lists.close(1, 7, got.report);
  EXPECT_EQ(got.at_once, (Counts{{"add", 1}, {"scale", 0}}));
}

TEST(ProbedLists, AHandleMeansAnotherListWhenItIsDestroyedOrInAnotherProcess) {
  Reports got;
  Budgets budgets;
  ProbedLists lists(budgets);
  lists.create(1, 7, false);
  lists.create(2, 7, true);
  lists.append(1, 7, {"scale", {1}}, got.report);
  lists.append(2, 7, {"add", {1}}, got.report);
  EXPECT_EQ(got.at_once, (Counts{{"add", 1}}));
  lists.destroy(1, 7);
  lists.create(1, 7, false);
  lists.execute(1, 7, got.report);
  EXPECT_TRUE(got.executed.empty());
  lists.forget(1);
  lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"", 1}}));
  lists.append(2, 7, {"add", {1}}, got.report);
  EXPECT_EQ(got.at_once, (Counts{{"add", 2}}));
}

TEST(ProbedLists, ContentBeyondTheLimitIsOneLaunchWithoutAName) {
  Reports got;
  Budgets budgets;
  ProbedLists lists(budgets);
  lists.create(1, 7, false);
  for (uint64_t i = 0; i < 100000; ++i) lists.append(1, 7, {"scale", {i}}, got.report);
  lists.execute(1, 7, got.report);
  EXPECT_EQ(got.executed, (Counts{{"", 1}, {"scale", 1 << 14}}));
}

// A million lists of one launch each took 781 MB.
TEST(ProbedLists, AreWithinTheirBudget) {
  Reports reports;
  Budgets budgets;
  ProbedLists lists(budgets);
  ProbedLists::Appended what{"forces", std::vector<uint64_t>(64, 0x1000), 0};
  for (uint64_t list = 1; list <= 1000000; ++list) {
    lists.create(7, list, false);
    lists.append(7, list, what, reports.report);
  }
  EXPECT_LE(budgets.used(Kept::probes), Budgets::total(Kept::probes));
  EXPECT_GT(budgets.used(Kept::probes), Budgets::total(Kept::probes) / 2);
  for (uint64_t list = 1; list <= 1000000; ++list) lists.destroy(7, list);
  EXPECT_EQ(budgets.used(Kept::probes), 0u);
}

}  // namespace
}  // namespace aiflame::record
