// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/probed_lists.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

struct Told {
  std::map<std::string, int64_t> at_once, executed;
  ProbedLists::Tell tell = [this](const ProbedLists::Appended& what, uint64_t count, bool run,
                                  bool back) {
    auto& to = run ? executed : at_once;
    const auto signed_count = static_cast<int64_t>(count);
    to[what.kernel] += back ? -signed_count : signed_count;
  };
};

using Counts = std::map<std::string, int64_t>;

TEST(ProbedLists, AnImmediateListLaunchesAtOnce) {
  Told told;
  ProbedLists lists;
  lists.made(1, 7, true);
  for (int i = 0; i < 3; ++i) lists.appended(1, 7, {"scale", {1}}, told.tell);
  EXPECT_EQ(told.at_once, (Counts{{"scale", 3}}));
}

TEST(ProbedLists, ARegularListLaunchesAllOfItEachTime) {
  Told told;
  ProbedLists lists;
  lists.made(1, 7, false);
  lists.appended(1, 7, {"scale", {1}}, told.tell);
  lists.appended(1, 7, {"scale", {2}}, told.tell);
  lists.appended(1, 7, {"add", {1}}, told.tell);
  lists.closed(1, 7, told.tell);
  EXPECT_TRUE(told.at_once.empty());
  for (int i = 0; i < 5; ++i) lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"add", 5}, {"scale", 10}}));
  lists.reset(1, 7, told.tell);
  lists.executed(1, 7, told.tell);
  lists.appended(1, 7, {"add", {1}}, told.tell);
  lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"add", 6}, {"scale", 10}}));
  EXPECT_TRUE(told.at_once.empty());
}

TEST(ProbedLists, WhatIsInAListOfBeforeIsNotKnown) {
  Told told;
  ProbedLists lists;
  lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"", 1}}));
  // also when something is added to it
  lists.appended(1, 7, {"scale", {1}}, told.tell);
  lists.closed(1, 7, told.tell);
  lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"", 2}, {"scale", 1}}));
  // until it is reset
  lists.reset(1, 7, told.tell);
  lists.appended(1, 7, {"add", {1}}, told.tell);
  lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"", 2}, {"scale", 1}, {"add", 1}}));
}

TEST(ProbedLists, AListOfBeforeIsTakenForImmediateUntilItIsClosed) {
  Told told;
  ProbedLists lists;
  lists.appended(1, 7, {"scale", {1}}, told.tell);
  lists.appended(1, 7, {"scale", {1}}, told.tell);
  lists.appended(1, 8, {"add", {1}}, told.tell);
  EXPECT_EQ(told.at_once, (Counts{{"add", 1}, {"scale", 2}}));
  lists.closed(1, 7, told.tell);
  lists.closed(1, 7, told.tell);
  EXPECT_EQ(told.at_once, (Counts{{"add", 1}, {"scale", 0}}));
}

TEST(ProbedLists, AHandleMeansAnotherListWhenItIsDestroyedOrInAnotherProcess) {
  Told told;
  ProbedLists lists;
  lists.made(1, 7, false);
  lists.made(2, 7, true);
  lists.appended(1, 7, {"scale", {1}}, told.tell);
  lists.appended(2, 7, {"add", {1}}, told.tell);
  EXPECT_EQ(told.at_once, (Counts{{"add", 1}}));
  lists.destroyed(1, 7);
  lists.made(1, 7, false);
  lists.executed(1, 7, told.tell);
  EXPECT_TRUE(told.executed.empty());
  lists.forget(1);
  lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"", 1}}));
  lists.appended(2, 7, {"add", {1}}, told.tell);
  EXPECT_EQ(told.at_once, (Counts{{"add", 2}}));
}

TEST(ProbedLists, WhatIsTooMuchToKeepIsOneLaunchWithoutAName) {
  Told told;
  ProbedLists lists;
  lists.made(1, 7, false);
  for (uint64_t i = 0; i < 100000; ++i) lists.appended(1, 7, {"scale", {i}}, told.tell);
  lists.executed(1, 7, told.tell);
  EXPECT_EQ(told.executed, (Counts{{"", 1}, {"scale", 1 << 14}}));
}

}  // namespace
}  // namespace aiflame::record
