// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tools/aiflame-report/text_columns.h"

namespace aiflame::report {
namespace {

// "NAME total self" of each thing with a cost, sorted.
std::vector<std::string> costs(const Profile& profile, Kind kind, size_t run = 0) {
  std::vector<std::string> out;
  for (uint32_t i = 0; i < profile.size(kind); ++i) {
    const Cost cost = profile.cost(kind, i, run);
    if (cost.total == 0) continue;
    out.push_back(profile.name(kind, i) + " " + std::to_string(cost.total) + " " +
                  std::to_string(cost.self));
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Lines = std::vector<std::string>;

Profile profile_of(const std::vector<std::pair<std::string, uint64_t>>& stacks) {
  Profile profile({}, true);
  profile.begin_run();
  for (const auto& [stack, count] : stacks) EXPECT_TRUE(profile.add(stack, {count, 0}));
  profile.finish();
  return profile;
}

TEST(Profile, LayersOfAMergedStack) {
  const Profile profile = profile_of(
      {{"app;main;clEnqueue;-;k.cl_[G];scale_[G];dot_[G];k.cl:12_[G];mad_[g];sbid_[g];0x30_[g]", 5},
       {"app;main;clEnqueue;-;k.cl_[G];scale_[G];mad_[g];sbid_[g];0x30_[g]", 2}});
  EXPECT_EQ(costs(profile, Kind::kernel), (Lines{"scale 7 2"}));
  EXPECT_EQ(costs(profile, Kind::function),
            (Lines{"app 7 0", "clEnqueue 7 0", "dot_[G] 5 5", "main 7 0", "scale_[G] 7 2"}));
  EXPECT_EQ(costs(profile, Kind::line), (Lines{"k.cl:12 5 5"}));
  EXPECT_EQ(costs(profile, Kind::reason), (Lines{"sbid 7 7"}));
  EXPECT_EQ(costs(profile, Kind::instruction),
            (Lines{"scale+0x30 mad 2 2", "scale;dot+0x30 mad 5 5"}));
}

TEST(Profile, WhatStandsOnIdleTimeIsNoWork) {
  const Profile profile =
      profile_of({{"py::f:t.py;Net_0_[m];aten::copy__[o];-;copy_[G]", 3},
                  {"[gpu idle];[host copies];py::f:t.py;Net_0_[m];aten::copy__[o]", 490},
                  {"rank 1;[gpu idle];[untraced]", 7}});
  EXPECT_EQ(costs(profile, Kind::framework_operator), (Lines{"aten::copy_ 3 3"}));
  EXPECT_EQ(costs(profile, Kind::module_class), (Lines{"Net 3 3"}));
  EXPECT_EQ(costs(profile, Kind::function),
            (Lines{"Net_0_[m] 3 0", "aten::copy__[o] 3 0", "copy_[G] 3 3", "py::f:t.py 3 0"}));
  EXPECT_EQ(costs(profile, Kind::idle),
            (Lines{"Net_0_[m] 490 0", "aten::copy__[o] 490 490", "py::f:t.py 490 0"}));
  EXPECT_EQ(costs(profile, Kind::device), (Lines{"[gpu idle] 497 497", "[host copies] 490 490",
                                                 "[untraced] 7 7", "computation 3 3"}));
  EXPECT_TRUE(profile.tells_device_time());
  // a rank that is idle does no work
  EXPECT_EQ(costs(profile, Kind::rank), (Lines{"1 7 0"}));
}

TEST(Profile, OperatorsAndModulesOfAModel) {
  const Profile profile = profile_of(
      {{"py::f:t.py;step_[r];Net_0_[m];Linear_0_[m];aten::linear_[o];aten::mm_[o];-;gemm_[G]", 5},
       {"py::f:t.py;step_[r];Net_0_[m];Linear_1_[m];aten::mm_[o];-;gemm_[G]", 3},
       {"py::f:t.py;step_[r];Net_0_[m];-;copy_[G]", 1}});
  EXPECT_EQ(costs(profile, Kind::framework_operator), (Lines{"aten::linear 5 0", "aten::mm 8 8"}));
  EXPECT_EQ(costs(profile, Kind::module_class), (Lines{"Linear 8 8", "Net 9 1"}));
  EXPECT_EQ(costs(profile, Kind::kernel), (Lines{"copy 1 1", "gemm 8 8"}));
  EXPECT_EQ(costs(profile, Kind::function),
            (Lines{"Linear_0_[m] 5 0", "Linear_1_[m] 3 0", "Net_0_[m] 9 0", "aten::linear_[o] 5 0",
                   "aten::mm_[o] 8 0", "copy_[G] 1 1", "gemm_[G] 8 8", "py::f:t.py 9 0",
                   "step_[r] 9 0"}));
  uint32_t number = 0;
  EXPECT_TRUE(profile.find(Kind::framework_operator, "aten::mm", number));
  EXPECT_TRUE(profile.find(Kind::module_class, "Linear", number));
  EXPECT_FALSE(profile.find(Kind::module_class, "Linear_0", number));
}

TEST(Profile, TheNumberOfAModuleIsNoPartOfItsClass) {
  const Profile profile = profile_of({{"Conv2d_12_[m];_3_[m];7_[m];Block3_[m];a_b_[m];k_[G]", 2}});
  EXPECT_EQ(costs(profile, Kind::module_class),
            (Lines{"7 2 0", "Block3 2 0", "Conv2d 2 0", "_3 2 0", "a_b 2 2"}));
}

TEST(Profile, WhatAnInstructionWaitsForIsNoInstruction) {
  const Profile profile =
      profile_of({{"a;-;k_[G];mad_[g];sbid_[g];waits for send.ugm at 0x70, k.cl:4_[g];0x30_[g]", 3},
                  {"a;-;k_[G];waits for send.ugm at 0x70 or mul at 0x80_[g];mad_[g];sbid_[g]", 1}});
  EXPECT_EQ(costs(profile, Kind::reason), (Lines{"sbid 4 4"}));
  EXPECT_EQ(costs(profile, Kind::instruction), (Lines{"k mad 1 1", "k+0x30 mad 3 3"}));
}

TEST(Profile, LevelsThatAreLeftOutOrInAnotherOrder) {
  const Profile profile = profile_of({{"a;-;k_[G];mulss_[g];0x4f_[g]", 1},
                                      {"a;-;jit_[G];k_[G];sbid_[g]", 2},
                                      {"a;-;k_[G];sbid_[g];send.ugm_[g]", 4},
                                      {"a;-;k_[G];send_[g];sync_[g]", 8},
                                      {"a;-;[unknown kernel]_[G]", 16}});
  EXPECT_EQ(costs(profile, Kind::reason), (Lines{"sbid 6 6", "sync 8 8"}));
  EXPECT_EQ(costs(profile, Kind::kernel), (Lines{"[unknown kernel] 16 16", "k 15 15"}));
  EXPECT_EQ(costs(profile, Kind::instruction),
            (Lines{"k send 8 8", "k send.ugm 4 4", "k+0x4f mulss 1 1"}));
}

TEST(Profile, KnowsTheKernelThatAThingRunsIn) {
  const Profile profile =
      profile_of({{"main;a;-;k.cl_[G];k_[G];f_[G];k.cl:1_[G];add_[g];sbid_[g];0x0_[g]", 1},
                  {"main;a;-;k.cl_[G];k_[G];g_[G];add_[g];sync_[g]", 1},
                  {"main;a;-;k.cl_[G];l_[G];g_[G];mul_[g];sbid_[g]", 1}});
  const auto kernel = [&](Kind kind, const std::string& name) -> std::string {
    uint32_t number = 0;
    EXPECT_TRUE(profile.find(kind, name, number)) << name;
    const auto of = profile.kernel_of(kind, number);
    return of ? profile.name(Kind::kernel, *of) : "";
  };
  EXPECT_EQ(kernel(Kind::kernel, "k"), "k");
  EXPECT_EQ(kernel(Kind::function, "f_[G]"), "k");
  EXPECT_EQ(kernel(Kind::function, "g_[G]"), "");
  EXPECT_EQ(kernel(Kind::function, "a"), "");
  EXPECT_EQ(kernel(Kind::line, "k.cl:1"), "k");
  EXPECT_EQ(kernel(Kind::reason, "sync"), "k");
  EXPECT_EQ(kernel(Kind::reason, "sbid"), "");
  EXPECT_EQ(kernel(Kind::instruction, "l;g mul"), "l");
}

TEST(Profile, KernelsOfOneNameInTwoFilesAreApart) {
  const Profile profile =
      profile_of({{"main;-;a.cl_[G];k_[G];a.cl:1_[G];add_[g];sbid_[g];0x0_[g]", 1},
                  {"main;-;b.cl_[G];k_[G];add_[g];sbid_[g];0x0_[g]", 2},
                  {"main;-;k_[G];add_[g];sbid_[g];0x0_[g]", 4},
                  {"main;-;c.cl_[G];l_[G];add_[g];sync_[g]", 8},
                  {"main;-;l_[G];add_[g];sync_[g]", 16}});
  EXPECT_EQ(costs(profile, Kind::kernel), (Lines{"a.cl;k 1 1", "b.cl;k 2 2", "k 4 4", "l 24 24"}));
  EXPECT_EQ(costs(profile, Kind::instruction),
            (Lines{"a.cl;k+0x0 add 1 1", "b.cl;k+0x0 add 2 2", "k+0x0 add 4 4", "l add 24 24"}));
  EXPECT_EQ(costs(profile, Kind::finding), (Lines{"sbid in a.cl;k 1 1", "sbid in b.cl;k 2 2",
                                                  "sbid in k 4 4", "sync in l 24 24"}));
  EXPECT_EQ(profile.kernels_of_name("k"), (Lines{"a.cl;k", "b.cl;k"}));
  EXPECT_EQ(profile.kernels_of_name("l"), Lines());
  // a line's name does not say of which of the kernels it is
  uint32_t line = 0, reason = 0;
  ASSERT_TRUE(profile.find(Kind::line, "a.cl:1", line));
  EXPECT_EQ(profile.kernel_of(Kind::line, line), std::nullopt);
  ASSERT_TRUE(profile.find(Kind::reason, "sync", reason));
  EXPECT_TRUE(profile.kernel_of(Kind::reason, reason).has_value());
}

TEST(Profile, RecursionCountsOnce) {
  const Profile profile =
      profile_of({{"main;fib;fib;fib", 3}, {"main;fib", 1}, {"main;a;fib;b", 1}});
  EXPECT_EQ(costs(profile, Kind::function), (Lines{"a 1 0", "b 1 1", "fib 5 4", "main 5 0"}));
}

TEST(Profile, EmptyFramesAtTheEndAreNone) {
  EXPECT_EQ(costs(profile_of({{"a;b;;", 3}, {"a;b", 1}}), Kind::function),
            (Lines{"a 4 0", "b 4 4"}));
}

// Frames that neighbours share are not looked up again. Compares with a model that looks up every
// frame.
TEST(Profile, AgreesWithASimpleModel) {
  std::mt19937 random(5);
  Profile profile({}, true);
  std::map<std::string, std::pair<uint64_t, uint64_t>> expected;
  profile.begin_run();
  for (int i = 0; i < 5000; ++i) {
    std::string stack;
    std::set<std::string> held;
    std::string last;
    for (size_t depth = 1 + random() % 5; depth > 0; --depth) {
      last = std::string(1 + random() % 2, static_cast<char>('a' + random() % 2));
      held.insert(last);
      stack += (stack.empty() ? "" : ";") + last;
    }
    const uint64_t count = random() % 5;
    EXPECT_TRUE(profile.add(stack, {count, 0}));
    for (const std::string& one : held) expected[one].first += count;
    expected[last].second += count;
  }
  Lines lines;
  for (const auto& [name, cost] : expected)
    lines.push_back(name + " " + std::to_string(cost.first) + " " + std::to_string(cost.second));
  EXPECT_EQ(costs(profile, Kind::frame), lines);
}

TEST(Profile, RunsAreCountedSeparately) {
  Profile profile({}, false);
  profile.begin_run();
  EXPECT_TRUE(profile.add("a;b", {1, 0}));
  profile.begin_run();
  EXPECT_TRUE(profile.add("a;c", {25, 1}));
  EXPECT_EQ(profile.decimals(), 1U);
  EXPECT_EQ(costs(profile, Kind::function, 0), (Lines{"a 10 0", "b 10 10"}));
  EXPECT_EQ(costs(profile, Kind::function, 1), (Lines{"a 25 0", "c 25 25"}));
  EXPECT_EQ(profile.runs()[0].total, 10U);
  EXPECT_EQ(profile.runs()[0].smallest, 10U);
}

TEST(Profile, PatternsMatchStacksOnce) {
  const Pattern fib("^fib$"), any("."), g("_\\[g\\]$");
  Profile profile({&fib, &any, &g}, false);
  profile.begin_run();
  EXPECT_TRUE(profile.add("main;fib;fib", {3, 0}));
  EXPECT_TRUE(profile.add("main;x_[g]", {4, 0}));
  EXPECT_EQ(profile.runs()[0].matched, (std::vector<uint64_t>{3, 7, 4}));
}

TEST(Profile, SumsThatDoNotFitAreRefused) {
  Profile profile({}, false);
  profile.begin_run();
  EXPECT_TRUE(profile.add("a", {UINT64_MAX, 0}));
  EXPECT_FALSE(profile.add("a", {1, 0}));
  EXPECT_FALSE(profile.add("a", {5, 1}));
}

TEST(TextColumns, NamesAreCutInTheMiddle) {
  EXPECT_EQ(cut_middle("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(cut_middle("abcdefgh", 7), "abc…fgh");
  EXPECT_EQ(cut_middle("abcdefgh", 4), "ab…h");
  EXPECT_EQ(cut_middle("äöüäöü", 5), "äö…öü");
  EXPECT_EQ(cut_middle("a\x1b[2J\xff\n", 99), "a\\033[2J\\377\\012");
  EXPECT_EQ(cut_middle("a\x1b[2J\xff\n", 7), "a\\0…012");
  EXPECT_EQ(cut_middle("ab", 0), "…");
}

TEST(TextColumns, AlignsAndWraps) {
  TextColumns columns;
  columns.begin_row();
  columns.cell("Total");
  columns.last("Name");
  columns.begin_row();
  columns.cell("7");
  columns.last("x");
  columns.note("one two three four five six");
  std::string out;
  columns.append_to(out, 0, 25);
  EXPECT_EQ(out,
            "# Total  Name\n"
            "      7  x\n"
            "         one two three\n"
            "         four five six\n");
}

}  // namespace
}  // namespace aiflame::report
