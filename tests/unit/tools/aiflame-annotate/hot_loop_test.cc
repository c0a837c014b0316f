// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/hot_loop.h"

#include <gtest/gtest.h>

namespace aiflame::annotate {
namespace {

// 0x100 in the file is the function's 0. Instructions of 16 bytes; `jumps` between them.
CodeFlow flow_of(size_t size, std::vector<FlowEdge> jumps) {
  CodeFlow out;
  Flow flow;
  for (size_t i = 0; i < size; ++i) {
    out.offsets.push_back(0x100 + 16 * i);
    flow.falls_through.push_back(i + 1 < size);
  }
  flow.jumps = std::move(jumps);
  out.ways = FlowGraph(std::move(flow));
  return out;
}

std::vector<AnnotatedInstruction> code_of(const std::vector<uint64_t>& samples) {
  std::vector<AnnotatedInstruction> out(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    out[i].offset = 16 * i;
    out[i].samples = samples[i];
  }
  return out;
}

TEST(FindHotLoop, IsTheInnermostAroundTheHottestInstruction) {
  // 1 to 6 is a loop, and in it 2 to 3 and 4 to 5
  const CodeFlow flow = flow_of(8, {{3, 2}, {5, 4}, {6, 1}});
  const auto inner = find_hot_loop(flow, 0x100, code_of({1, 2, 3, 90, 5, 6, 7, 8}));
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->first, 0x20u);
  EXPECT_EQ(inner->last, 0x30u);
  EXPECT_EQ(inner->samples, 93u);
  const auto outer = find_hot_loop(flow, 0x100, code_of({1, 2, 3, 4, 5, 6, 70, 8}));
  ASSERT_TRUE(outer);
  EXPECT_EQ(outer->first, 0x10u);
  EXPECT_EQ(outer->last, 0x60u);
  EXPECT_EQ(outer->samples, 90u);  // with those of the loops in it
}

TEST(FindHotLoop, NoneWhereNothingSaysSo) {
  const CodeFlow flow = flow_of(4, {{2, 1}});
  EXPECT_FALSE(find_hot_loop(flow, 0x100, code_of({9, 1, 1, 1})));  // before the loop
  EXPECT_FALSE(find_hot_loop(flow, 0x100, code_of({0, 0, 0, 0})));
  EXPECT_FALSE(find_hot_loop(flow, 0x108, code_of({0, 9, 0, 0})));  // between its instructions
  EXPECT_FALSE(find_hot_loop(CodeFlow(), 0x100, code_of({0, 9, 0, 0})));
  EXPECT_FALSE(find_hot_loop(flow, 0x100, {}));
}

}  // namespace
}  // namespace aiflame::annotate
