// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/rank_scope.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

Event event(char phase, std::string_view name, int64_t start, std::string_view process = "1") {
  Event out;
  out.clear();
  out.phase = phase;
  out.name = name;
  out.start = start;
  out.process = process;
  return out;
}

TEST(RankScope, LabelsOfProcesses) {
  EXPECT_EQ(rank_label("[TP00-DP01] 251"), "TP00-DP01");
  EXPECT_EQ(rank_label("[0] 0"), "0");
  EXPECT_EQ(rank_label("251"), "");
  EXPECT_EQ(rank_label("[TP00]"), "");
}

TEST(RankScope, NumbersAreOfTheirRank) {
  RankScope scope;
  scope.take(event('X', "a", 1));
  EXPECT_EQ(scope.scoped(305), 305U);
  scope.take(event('X', "a", 1, "[TP0] 1"));
  const uint64_t first = scope.scoped(305), large = scope.scoped(uint64_t{1} << 50);
  scope.take(event('X', "a", 1, "[TP1] 1"));
  EXPECT_NE(scope.scoped(305), first);
  EXPECT_NE(scope.scoped(uint64_t{1} << 50), large);
  EXPECT_EQ(scope.scoped(0), 0U);
  EXPECT_EQ(scope.scoped(Event::kNone), Event::kNone);
  scope.take(event('X', "a", 1, "[TP0] 2"));
  EXPECT_EQ(scope.scoped(305), first);
}

TEST(RankScope, AFileBeginsEarlierThanTheOneBeforeIt) {
  RankScope scope;
  scope.take(event('i', "Record Window End", 100));
  scope.take(event('M', "process_name", 0));
  scope.take(event('X', "a", 50));
  EXPECT_EQ(scope.file(), 1U);
  scope.take(event('i', "Record Window End", 100));
  scope.take(event('X', "a", 100));
  EXPECT_EQ(scope.file(), 1U);
}

}  // namespace
}  // namespace aiflame::trace
