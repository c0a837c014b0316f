// SPDX-License-Identifier: MIT
#include "libcommon/code/flow_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace aiflame {
namespace {

// "0 2c5": instruction 0 of the same function, and 2 by the call at 5
std::string predecessors(const FlowGraph& flow, uint32_t index) {
  std::vector<std::string> all;
  flow.each_predecessor(index, [&](uint32_t from, FlowGraph::Way way, uint32_t call) {
    std::string text = std::to_string(from);
    if (way == FlowGraph::Way::calls) text += "c" + std::to_string(call);
    if (way == FlowGraph::Way::returns) text += "r" + std::to_string(call);
    all.push_back(text);
  });
  std::sort(all.begin(), all.end());
  std::string out;
  for (const std::string& each : all) out += (out.empty() ? "" : " ") + each;
  return out;
}

TEST(FlowGraph, TheInstructionAboveAndThoseThatJump) {
  Flow flow;
  flow.falls_through = {true, false, true, true};
  flow.jumps = {{3, 0}, {1, 3}, {3, 3}, {9, 1}, {1, 9}, {1, UINT32_MAX}};
  const FlowGraph graph(flow);
  EXPECT_EQ(predecessors(graph, 0), "3");
  EXPECT_EQ(predecessors(graph, 1), "0");
  EXPECT_EQ(predecessors(graph, 2), "");
  EXPECT_EQ(predecessors(graph, 3), "1 2 3");
  EXPECT_EQ(FlowGraph(Flow()).size(), 0u);
}

// 0 call 4, 1 call 4, 2 call of something, 3 end; 4 f: branch to 6, 5 return, 6 return
TEST(FlowGraph, ACallLeadsToTheEntryAndEachReturnBelowIt) {
  Flow flow;
  flow.falls_through = {false, false, false, false, true, false, false};
  flow.returns = {false, false, false, false, false, true, true};
  flow.jumps = {{4, 6}};
  flow.calls = {{0, 4}, {1, 4}, {2, 99}};
  const FlowGraph graph(flow);
  EXPECT_EQ(predecessors(graph, 4), "0c0 1c1");
  EXPECT_EQ(predecessors(graph, 1), "5r0 6r0");
  EXPECT_EQ(predecessors(graph, 2), "5r1 6r1");
  EXPECT_EQ(predecessors(graph, 3), "");  // nothing is known of what was called
}

// A function that calls another one, itself, and one that never returns.
TEST(FlowGraph, FunctionsThatCall) {
  Flow flow;
  flow.falls_through = {false, false, false, false, true};
  flow.returns = {false, false, false, true, false};
  flow.calls = {{0, 1}, {1, 3}, {2, 1}, {4, 4}};
  const FlowGraph graph(flow);
  EXPECT_EQ(predecessors(graph, 1), "0c0 2c2 3r0");  // the entry is below the call at 0
  EXPECT_EQ(predecessors(graph, 2), "3r1");
  EXPECT_EQ(predecessors(graph, 3), "1c1 3r2");
  EXPECT_EQ(predecessors(graph, 4), "4c4");
}

TEST(FlowGraph, HostileCodeEnds) {
  constexpr uint32_t kSize = 100000;
  Flow flow;
  flow.falls_through.assign(kSize, true);
  flow.returns.assign(kSize, true);
  for (uint32_t i = 0; i < kSize; ++i) {
    flow.calls.push_back({i, (i * 7919) % kSize});
    flow.jumps.push_back({i, 0});
  }
  const FlowGraph graph(flow);
  EXPECT_NE(predecessors(graph, 0), "");
}

}  // namespace
}  // namespace aiflame
