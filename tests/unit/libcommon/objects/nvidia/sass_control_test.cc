// SPDX-License-Identifier: MIT
// Words of nvcc 13.0's code, with what nvdisasm prints for them.
#include "libcommon/objects/nvidia/sass_control.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(SassControl, Fields) {
  // 16 bytes as they lie in the file: @!P0 LDG.E R4, [R2.64+0x14]
  const SassWord load =
      SassWord::of(std::string_view("\x81\x89\x04\x02\x14\0\0\0\0\x19\x1e\x0c\0\xe8\x0e\0", 16));
  EXPECT_EQ(load.low, 0x0000001402048981u);
  EXPECT_EQ(load.high, 0x000ee8000c1e1900u);
  EXPECT_EQ(load.kind(), 0x181u);
  const SassControl its = sass_control(load);
  EXPECT_EQ(its.stall, 4u);
  EXPECT_TRUE(its.yield);
  EXPECT_EQ(its.write, 3u);
  EXPECT_EQ(its.read, SassControl::kNone);
  EXPECT_EQ(its.waits, 0u);
  EXPECT_EQ(its.reuse, 0u);
  // an FADD that waits for scoreboards 0 and 5, and keeps its first operand
  const SassControl add = sass_control({0x0000000504047221, 0x061fca0000000000});
  EXPECT_EQ(add.stall, 5u);
  EXPECT_EQ(add.waits, 0x21u);
  EXPECT_EQ(add.reuse, 1u);
  EXPECT_EQ(add.write, SassControl::kNone);
}

TEST(SassControl, Depbar) {
  const auto depbar = sass_depbar({0x000080800000791a, 0x000fc80000000000});
  ASSERT_TRUE(depbar);
  EXPECT_EQ(depbar->scoreboard, 0u);
  EXPECT_EQ(depbar->leaves, 2u);
  EXPECT_EQ(sass_depbar({0x000080000000791a, 0})->leaves, 0u);
  EXPECT_EQ(sass_depbar({0x0000b0400000791a, 0})->scoreboard, 3u);
  EXPECT_FALSE(sass_depbar({0x000000000000791a, 0}));  // DEPBAR {...}
  EXPECT_FALSE(sass_depbar({0x0000808000007918, 0}));  // NOP
  EXPECT_TRUE(closes_async_group({0x00000000000079af, 0x000e280000000000}));
  EXPECT_TRUE(starts_async_copy({0x0000000002057fae, 0}));
  EXPECT_FALSE(starts_async_copy({0x0000001402048981, 0}));
}

TEST(SassControl, Operations) {
  EXPECT_EQ(sass_operation({0x0000001402048981, 0}), "LDG");
  EXPECT_EQ(sass_operation({0x0000000003037308, 0}), "MUFU");
  EXPECT_EQ(sass_operation({0x0000000002057fae, 0}), "LDGSTS");
  EXPECT_EQ(sass_operation({0x0000000504047221, 0}), "");  // FADD
}

struct Jump {
  const char* text;
  unsigned architecture;
  uint64_t at;
  SassWord word;
  SassFlow flow;
  bool conditional;
  int64_t target;  // -1: none
};

TEST(SassControl, Steps) {
  const Jump jumps[] = {
      {"BRA 0x2d0",
       75,
       0x2d0,
       {0xfffffff000007947, 0x000fc0000383ffff},
       SassFlow::branch,
       false,
       0x2d0},
      {"@!P0 BRA 0x770",
       75,
       0x30,
       {0x0000073000008947, 0x000fea0003800000},
       SassFlow::branch,
       true,
       0x770},
      {"@!P0 BRA.U 0xc0",
       75,
       0x150,
       {0xffffff6100008947, 0x000fea000383ffff},
       SassFlow::branch,
       true,
       0xc0},
      {"BRA 0x350",
       90,
       0x350,
       {0xfffffffc00fc7947, 0x000fc0000383ffff},
       SassFlow::branch,
       false,
       0x350},
      {"@!P0 BRA 0x7c0",
       90,
       0x50,
       {0x0000000400d88947, 0x000fec0003800000},
       SassFlow::branch,
       true,
       0x7c0},
      {"BRA.U",
       100,
       0x50,
       {0x0000003108187547, 0x002fea000b800000},
       SassFlow::branch,
       true,
       0x30c0},
      {"BRA.DIV ~URZ, 0x9ce0",
       80,
       0x2660,
       {0x000076727f007947, 0x000fea000b800000},
       SassFlow::branch,
       true,
       0x9ce0},
      {"BRA.DIV UR8, 0xa4b0",
       90,
       0x2780,
       {0x0000007e08487947, 0x000fec000b800000},
       SassFlow::branch,
       true,
       0xa4b0},
      {"CALL.REL.NOINC 0x8d0",
       80,
       0x7e0,
       {0x000000e000007944, 0x000fea0003c00000},
       SassFlow::call,
       false,
       0x8d0},
      {"CALL.REL.NOINC 0x920",
       90,
       0x830,
       {0x0000000000387944, 0x002fea0003c00000},
       SassFlow::call,
       false,
       0x920},
      {"CALL.REL.NOINC R6 0x0",
       80,
       0x120,
       {0xfffffed006007344, 0x022fea0003c3ffff},
       SassFlow::call,
       false,
       -1},
      {"RET.REL.NODEC R20 0x0",
       80,
       0x260,
       {0xfffffd9014007950, 0x004fec0003c3ffff},
       SassFlow::leave,
       false,
       -1},
      {"BRX R6 -0x120",
       80,
       0x110,
       {0xfffffee006007949, 0x000fea000383ffff},
       SassFlow::branch,
       false,
       -1},
      {"BRXU", 120, 0x120, {0xfffffffc04b47958, 0x000fea000b83ffff}, SassFlow::branch, false, -1},
      {"EXIT", 80, 0x1a0, {0x000000000000794d, 0x000fea0003800000}, SassFlow::end, false, -1},
      {"@P0 EXIT", 80, 0x1a0, {0x000000000000094d, 0x000fea0003800000}, SassFlow::end, true, -1},
      {"BSSY B0, 0x850",
       80,
       0x7a0,
       {0x000000a000007945, 0x000fe40003800000},
       SassFlow::join_point,
       false,
       0x850},
      {"BSSY B0, 0x8a0",
       90,
       0x7e0,
       {0x000000b000007945, 0x000fe40003800000},
       SassFlow::join_point,
       false,
       0x8a0},
      {"BSYNC B0", 80, 0x840, {0x0000000000007941, 0x000fea0003800000}, SassFlow::join, false, -1},
      {"NANOSLEEP 0x14",
       80,
       0xe0,
       {0x000000140000795d, 0x000fea0003800000},
       SassFlow::next,
       false,
       -1},
  };
  for (const Jump& each : jumps) {
    const SassStep its = sass_step(each.word, each.architecture);
    EXPECT_EQ(its.flow, each.flow) << each.text;
    EXPECT_EQ(its.conditional, each.conditional) << each.text;
    EXPECT_EQ(its.target.has_value(), each.target >= 0) << each.text;
    if (its.target) {
      EXPECT_EQ(static_cast<int64_t>(each.at) + *its.target, each.target) << each.text;
    }
  }
  EXPECT_EQ(sass_step({0x000000a000027945, 0}, 80).barrier, 2u);
}

}  // namespace
}  // namespace aiflame
