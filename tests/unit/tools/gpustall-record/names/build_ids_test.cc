// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/build_ids.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

using Lines = std::vector<std::string>;

TEST(BuildIds, AnObjectIsToldOnceForAllProcesses) {
  Budgets budgets;
  BuildIds ids(budgets);
  for (uint32_t pid = 1; pid <= 3; ++pid) ids.see(pid, "/a", "0123");
  EXPECT_EQ(ids.take_lines(), (Lines{"build_id : 0123 /a"}));
  EXPECT_EQ(ids.take_lines(), Lines());
}

TEST(BuildIds, AnotherFileUnderThePathIsToldOfItsProcess) {
  Budgets budgets;
  BuildIds ids(budgets);
  ids.see(1, "/a", "0123");
  ids.see(2, "/a", "4567");
  ids.see(2, "/a", "4567");
  ids.see(3, "/a", "");
  EXPECT_EQ(ids.take_lines(),
            (Lines{"build_id : 0123 /a", "build_id 2 : 4567 /a", "build_id 3 : ? /a"}));
  // another program has the number
  ids.see(2, "/a", "0123");
  EXPECT_EQ(ids.take_lines(), (Lines{"build_id 2 : 0123 /a"}));
}

TEST(BuildIds, AnObjectWithoutOneIsNotTold) {
  Budgets budgets;
  BuildIds ids(budgets);
  ids.see(1, "/a", "");
  EXPECT_EQ(ids.take_lines(), Lines());
}

TEST(BuildIds, OverTheBudgetNothingWrongIsTold) {
  Budgets budgets;
  BuildIds ids(budgets);
  ids.see(1, "/a", "0123");
  while (budgets.take(Kept::build_ids, 2, 1000)) {
  }
  while (budgets.take(Kept::build_ids, 2, 1)) {
  }
  ids.take_lines();
  ids.see(2, "/a", "4567");
  ids.see(2, "/b", "4567");
  EXPECT_EQ(ids.take_lines(), (Lines{"build_id : ? /a"}));
  EXPECT_EQ(budgets.report().size(), 1U);
}

}  // namespace
}  // namespace aiflame::record
