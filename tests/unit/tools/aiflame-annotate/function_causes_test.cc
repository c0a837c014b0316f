// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/function_causes.h"

#include <gtest/gtest.h>

#include "tests/unit/libcommon/code/made_up_code.h"

namespace aiflame::annotate {
namespace {

constexpr uint64_t kBase = 0x1000;

// A row for each instruction.
Annotation rows(const CodeFlow& flow) {
  Annotation out;
  for (const uint64_t offset : flow.offsets) {
    out.code.emplace_back().offset = offset;
    out.code.back().size = 16;
  }
  return out;
}

CodeFlow in_file(CodeFlow flow) {
  for (uint64_t& offset : flow.offsets) offset += kBase;
  return flow;
}

void sample(AnnotatedInstruction& at, const Reasons& reasons) {
  at.reasons = reasons;
  for (const auto& [reason, count] : reasons) at.samples += count;
}

TEST(FunctionCauses, ComeBackToTheRows) {
  const CodeFlow flow = made_up_code({"add r1 <-", "load r2 <- r1", "add r3 <- r2", "add r4 <-"});
  Annotation it = rows(flow);
  sample(it.code[2], {{"sbid", 90}, {"pipe", 10}, {"active", 30}});
  it.code[2].producers = {0x10};
  add_stall_causes(in_file(flow), kBase, UINT64_MAX, it);
  EXPECT_EQ(it.code[2].stalls, 100u);
  EXPECT_EQ(it.code[2].chain, (std::vector<uint64_t>{0x20, 0x10, 0x0}));
  EXPECT_EQ(it.code[2].chain_end, ChainEnd::root);
  ASSERT_EQ(it.code[2].causes.size(), 2u);
  EXPECT_EQ(it.code[2].causes[0].offset, 0x10u);
  EXPECT_DOUBLE_EQ(it.code[2].causes[0].share, 0.9);
  ASSERT_EQ(it.roots.size(), 2u);
  EXPECT_EQ(it.roots[0].offset, 0x10u);
  EXPECT_EQ(it.roots[0].samples, 90u);
  EXPECT_EQ(it.roots[0].victims[0], (std::pair<uint64_t, uint64_t>{0x20, 90}));
  EXPECT_EQ(it.roots[1].offset, 0x20u);
  EXPECT_EQ(it.coverage.waiting.samples, 90u);
}

// Work is no stall, and one in which another thread was served costs nothing.
TEST(FunctionCauses, WhatIsNoStall) {
  const CodeFlow flow = made_up_code({"load r2 <- r1", "add r3 <- r2"});
  Annotation it = rows(flow);
  sample(it.code[1], {{"selected", 5}, {"not_selected", 7}});
  it.code[1].producers = {0};
  add_stall_causes(in_file(flow), kBase, UINT64_MAX, it);
  EXPECT_EQ(it.code[1].stalls, 0u);
  EXPECT_TRUE(it.code[1].chain.empty());
  EXPECT_TRUE(it.roots.empty());
}

TEST(FunctionCauses, SamplesWithoutReasonsAreEstimated) {
  const CodeFlow flow = made_up_code({"load r2 <- r1", "add r3 <- r2", "add r4 <- r3"});
  Annotation it = rows(flow);
  it.code[2].samples = 7;
  add_stall_causes(in_file(flow), kBase, UINT64_MAX, it);
  EXPECT_EQ(it.code[2].chain, (std::vector<uint64_t>{0x20, 0x0}));
}

// Producers alone give the first step; no steps of the search are left for more.
TEST(FunctionCauses, WithoutACodeFlow) {
  Annotation it = rows(made_up_code({"load r2 <- r1", "add r3 <- r2"}));
  sample(it.code[1], {{"sbid", 90}});
  it.code[1].producers = {0};
  EXPECT_EQ(add_stall_causes({}, kBase, 0, it), 0u);
  EXPECT_EQ(it.code[1].chain, (std::vector<uint64_t>{0x10, 0x0}));
  EXPECT_EQ(it.code[1].chain_end, ChainEnd::unknown);
  EXPECT_EQ(it.coverage.unknown.instructions, 1u);
}

// Rows that the code has not, and that are out of order.
TEST(FunctionCauses, RowsOutsideOfTheCode) {
  Annotation it;
  it.code.resize(3);
  it.code[0].offset = 0x8;
  it.code[1].offset = 0x900;
  it.code[2].offset = UINT64_MAX - 0xfff;  // below the start
  for (AnnotatedInstruction& each : it.code) sample(each, {{"sbid", 3}});
  add_stall_causes({}, kBase, UINT64_MAX, it);
  EXPECT_EQ(it.code[1].stalls, 3u);
  add_stall_causes(in_file(made_up_code({"load r2 <- r1"})), kBase, UINT64_MAX, it);
}

}  // namespace
}  // namespace aiflame::annotate
