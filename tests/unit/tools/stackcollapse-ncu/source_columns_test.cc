// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-ncu/source_columns.h"

#include <gtest/gtest.h>

#include "libcommon/code/stall_reasons.h"

namespace aiflame::ncu {
namespace {

TEST(SourceColumns, ReasonsHaveTheNamesOfTheReports) {
  const auto all = [](std::string_view column) { return reason_of_column(column, Samples::all); };
  EXPECT_EQ(all("stall_long_sb"), "long_scoreboard");
  EXPECT_EQ(all("stall_no_inst"), "no_instructions");
  EXPECT_EQ(all("stall_gmma"), "warpgroup_arrive");
  EXPECT_EQ(all("stall_of_tomorrow"), "of_tomorrow");
  EXPECT_EQ(all("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
  EXPECT_EQ(all("stall_long_sb (Not Issued)"), std::nullopt);
  EXPECT_EQ(all("smsp__pcsamp_warps_issue_stalled_wait_not_issued"), std::nullopt);
  EXPECT_EQ(all("Instructions Executed"), std::nullopt);
  EXPECT_EQ(all("stall_"), std::nullopt);
  for (const char* name : {"barrier", "branch_resolving", "dispatch", "drain", "imc", "lg",
                           "long_sb", "math", "membar", "mio", "misc", "no_inst", "not_selected",
                           "selected", "short_sb", "sleep", "tex", "wait"})
    EXPECT_NE(find_stall_reason(*all("stall_" + std::string(name))), nullptr) << name;
}

TEST(SourceColumns, TheTwinsOfReasons) {
  const auto exposed = [](std::string_view column) {
    return reason_of_column(column, Samples::exposed);
  };
  EXPECT_EQ(exposed("stall_sleeping (Not Issued)"), "sleeping");
  EXPECT_EQ(exposed("smsp__pcsamp_warps_issue_stalled_wait_not_issued"), "wait");
  EXPECT_EQ(exposed("stall_wait"), std::nullopt);
}

TEST(SourceColumns, Views) {
  const auto sass =
      SourceColumns::parse({"#", "Address", "Source", "Warp Stall Sampling (All Samples)",
                            "stall_wait", "smsp__pcsamp_warps_issue_stalled_wait"},
                           Samples::all);
  ASSERT_TRUE(sass);
  EXPECT_EQ(sass->address, 1U);
  EXPECT_EQ(sass->text, 2U);
  EXPECT_EQ(sass->line, std::nullopt);
  EXPECT_EQ(sass->samples, 3U);
  ASSERT_EQ(sass->reasons.size(), 1U) << "a reason under both of its names";
  EXPECT_EQ(sass->reasons[0].column, 4U);
  const auto both =
      SourceColumns::parse({"Line No", "Source", "Address", "Source", "# Samples"}, Samples::all);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->line, 0U);
  EXPECT_EQ(both->text, 3U);
  const auto cuda = SourceColumns::parse({"#", "Source", "Warp Stall Sampling (Not-issued Cycles)"},
                                         Samples::exposed);
  ASSERT_TRUE(cuda);
  EXPECT_EQ(cuda->line, 0U);
  EXPECT_EQ(cuda->samples, 2U);
  EXPECT_FALSE(SourceColumns::parse({"12", "Source", "-", "-"}, Samples::all));
  EXPECT_FALSE(SourceColumns::parse({"Source"}, Samples::all));
}

}  // namespace
}  // namespace aiflame::ncu
