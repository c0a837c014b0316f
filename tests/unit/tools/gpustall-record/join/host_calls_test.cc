// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/host_calls.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

constexpr uint32_t kPid = 7, kTid = 8;

HostCalls::Call call(uint64_t begin, uint64_t end, uint32_t number,
                     HostPhase phase = HostPhase::waits) {
  return {begin, end, number, phase};
}

TEST(HostCalls, ACallOrNone) {
  Budgets budgets;
  HostCalls calls(budgets);
  calls.add(kPid, kTid, call(30, 40, 2, HostPhase::copies));
  calls.add(kPid, kTid, call(10, 20, 1));  // in any order
  HostMoment moment = calls.at(kPid, kTid, 5);
  EXPECT_EQ(moment.phase, HostPhase::runs);
  EXPECT_EQ(moment.until, 10);
  moment = calls.at(kPid, kTid, 10);
  EXPECT_EQ(moment.phase, HostPhase::waits);
  EXPECT_EQ(moment.what, 1u);
  EXPECT_EQ(moment.until, 20);
  moment = calls.at(kPid, kTid, 20);
  EXPECT_EQ(moment.phase, HostPhase::runs);
  EXPECT_EQ(moment.until, 30);
  EXPECT_EQ(calls.at(kPid, kTid, 39).phase, HostPhase::copies);
  EXPECT_EQ(calls.at(kPid, kTid, 40).until, INT64_MAX);
  EXPECT_EQ(calls.at(kPid, 9, 15).phase, HostPhase::runs) << "another thread";
}

TEST(HostCalls, TheInnerCallFirst) {
  Budgets budgets;
  HostCalls calls(budgets);
  calls.add(kPid, kTid, call(10, 40, 1));
  calls.add(kPid, kTid, call(20, 30, 2, HostPhase::calls));
  EXPECT_EQ(calls.at(kPid, kTid, 15).until, 20);
  EXPECT_EQ(calls.at(kPid, kTid, 25).what, 2u);
  EXPECT_EQ(calls.at(kPid, kTid, 35).what, 1u);
}

// A copy that waits is reported as a launch, and as a call.
TEST(HostCalls, OfOneBeginTheLongerCounts) {
  Budgets budgets;
  HostCalls calls(budgets);
  calls.add(kPid, kTid, call(10, 12, 1));
  calls.add(kPid, kTid, call(10, 40, 1));
  calls.add(kPid, kTid, call(10, 11, 1));
  EXPECT_EQ(calls.at(kPid, kTid, 12).until, 40);
}

TEST(HostCalls, WhatIsForgottenGivesItsRoomBack) {
  Budgets budgets;
  HostCalls calls(budgets);
  for (uint64_t i = 1; i <= 100; ++i) calls.add(kPid, kTid, call(10 * i, 10 * i + 5, 1));
  EXPECT_GT(budgets.used(Kept::runs), 3200u);
  calls.forget_before(505);
  EXPECT_EQ(calls.at(kPid, kTid, 503).phase, HostPhase::runs);
  EXPECT_EQ(calls.at(kPid, kTid, 512).phase, HostPhase::waits);
  calls.forget_before(2000);
  EXPECT_EQ(budgets.used(Kept::runs), 0u);
}

// A device that is idle for hours must not fill the memory with what its host does meanwhile.
TEST(HostCalls, OnlyTheLastCallsAreKept) {
  Budgets budgets;
  HostCalls calls(budgets);
  constexpr uint64_t kCalls = 100000;
  for (uint64_t i = 1; i <= kCalls; ++i) calls.add(kPid, kTid, call(10 * i, 10 * i + 5, 1));
  EXPECT_LT(budgets.used(Kept::runs), uint64_t{1} << 20);
  EXPECT_EQ(calls.at(kPid, kTid, 10 * kCalls + 1).phase, HostPhase::waits);
  const HostMoment old = calls.at(kPid, kTid, 11);
  EXPECT_EQ(old.phase, HostPhase::nothing) << "nobody knows any more";
  EXPECT_GT(old.until, 1000);
  EXPECT_EQ(calls.at(kPid, kTid, static_cast<uint64_t>(old.until)).phase, HostPhase::runs);
}

}  // namespace
}  // namespace aiflame::record
