// SPDX-License-Identifier: MIT
#include "libcommon/code/reaching_definitions.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

#include "libcommon/base/program.h"
#include "tests/unit/libcommon/code/made_up_code.h"

namespace aiflame {
namespace {

// "1@3 4!@2 ?": 1 three steps away; 4 is waited for, and not read; others are possible.
std::string text(const Dependencies& its) {
  std::string out;
  for (const Dependency& each : its.all) {
    out += (out.empty() ? "" : " ") + std::to_string(each.index);
    if (each.awaited) out += each.data ? "*" : "!";
    out += "@" + std::to_string(each.distance);
  }
  return out + (its.complete ? "" : " ?");
}

std::string dependencies(const CodeFlow& code, uint32_t index,
                         const std::vector<uint32_t>& awaited = {}) {
  return text(ReachingDefinitions(code, UINT64_MAX).of(index, awaited));
}

TEST(ReachingDefinitions, TheLastWriteOfEachRegister) {
  const CodeFlow code = made_up_code(
      {"add r1 <-", "add r2 <- r1", "add r1 <- r2", "add r9 <- r2", "add r3 <- r1 r2 r8"});
  EXPECT_EQ(dependencies(code, 4), "1@3 2@2");  // r8 comes from outside of the code
  EXPECT_EQ(dependencies(code, 1), "0@1");
  EXPECT_EQ(dependencies(code, 0), "");
}

TEST(ReachingDefinitions, APredicatedWriteLetsTheOlderOnePass) {
  const CodeFlow code = made_up_code({"add r1 <-", "add r1 <-", "@ add r1 <-", "add r2 <- r1"});
  EXPECT_EQ(dependencies(code, 3), "1@2 2@1");
}

TEST(ReachingDefinitions, KindsOfRegistersDoNotOverlap) {
  const CodeFlow code = made_up_code({"add r1 <-", "add p1 <-", "add r2 <- r1"});
  EXPECT_EQ(dependencies(code, 2), "0@2");
}

TEST(ReachingDefinitions, PartsOfARegister) {
  const CodeFlow code = made_up_code({"add b0+64 <-", "add b0+32 <-", "add b40+8 <-",
                                      "add b90 <- b0+64", "add b90 <- b0+32", "add b90 <- b63+2"});
  EXPECT_EQ(dependencies(code, 3), "0@3 1@2 2@1");
  EXPECT_EQ(dependencies(code, 4), "1@3");
  EXPECT_EQ(dependencies(code, 5), "0@5");
}

// More registers than there are bits: 16 bytes are one, and a write of a part of them lets others
// pass.
TEST(ReachingDefinitions, ManyRegisters) {
  const CodeFlow code = made_up_code({"add b0+1024 <-", "add b0+1024 <-", "add b512+512 <-",
                                      "add b508+3 <-", "add b4 <- b0+1024", "add b4 <- b512+512"});
  EXPECT_EQ(dependencies(code, 4), "1@3 2@2 3@1");
  EXPECT_EQ(dependencies(code, 5), "2@3");
  std::string all = "add r1000 <-";
  for (int i = 0; i < 100; ++i) all += " r" + std::to_string(i * 2);
  EXPECT_EQ(dependencies(made_up_code({"add r0 <-", all}), 1), "0@1 ?");
}

// 0 r1; 1 jump 3; 2 r1; 3 read
TEST(ReachingDefinitions, ADiamondHasBothSides) {
  Flow flow;
  flow.jumps = {{1, 3}};
  const CodeFlow code = made_up_code({"add r1 <-", "jump p0", "add r1 <-", "add r2 <- r1"}, flow);
  EXPECT_EQ(dependencies(code, 3), "0@2 2@1");
}

// The value before the loop, that of the round before, and one that it makes of itself.
TEST(ReachingDefinitions, ALoopHasTheRoundBefore) {
  Flow flow;
  flow.jumps = {{3, 1}};
  const CodeFlow code =
      made_up_code({"add r1 <-", "load r2 <- r1", "add r1 <- r1", "jump p0"}, flow);
  EXPECT_EQ(dependencies(code, 1), "0@1 2@2");
  EXPECT_EQ(dependencies(code, 2), "0@2 2@3");
}

// 0 r1, 1 call 5, 2 read; 3 call 5, 4 return; 5 f: r2 <- r1, 6 return
TEST(ReachingDefinitions, ACallLeadsIntoTheFunctionAndBackToItsCaller) {
  Flow flow;
  flow.falls_through = {true, false, true, false, false, true, false};
  flow.calls = {{1, 5}, {3, 5}};
  const CodeFlow code = made_up_code(
      {"add r1 <-", "call", "add r3 <- r1 r2", "call", "return", "add r2 <- r1", "return"}, flow);
  EXPECT_EQ(dependencies(code, 2), "0@4 5@2");
  // seen from inside it may have been either call; 2 did not write it
  EXPECT_EQ(dependencies(code, 5), "0@2");
}

TEST(ReachingDefinitions, WhatIsWaitedForIsLookedForToo) {
  const CodeFlow code = made_up_code({"load r1 <-", "load r2 <-", "add r9 <-", "add r3 <- r1"});
  EXPECT_EQ(dependencies(code, 3, {0, 1}), "0*@3 1!@2");
  // not on any way
  EXPECT_EQ(dependencies(code, 1, {3}), "3!@" + std::to_string(ReachingDefinitions::kMaxSteps));
}

TEST(ReachingDefinitions, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(dependencies(made_up_code({"add r1 <-", "? r1"}), 1), " ?");
  EXPECT_EQ(dependencies(made_up_code({"load r1 <-", "? r1"}), 1, {0}), "0!@1 ?");
  // no way is known to it
  Flow flow;
  flow.falls_through = {true, false, true};
  EXPECT_EQ(dependencies(made_up_code({"add r1 <-", "call", "add r2 <- r1"}, flow), 2), " ?");
  CodeFlow bare;
  bare.offsets = {0, 16};
  EXPECT_EQ(dependencies(bare, 1, {0}), "0!@4096 ?");
}

// The definitions that reach each instruction, by the textbook: forward, until nothing changes.
std::vector<std::set<std::pair<uint32_t, uint32_t>>> forward(const CodeFlow& code) {
  std::vector<std::set<std::pair<uint32_t, uint32_t>>> in(
      code.offsets.size());  // of index, register
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < in.size(); ++i) {
      const size_t before = in[i].size();
      code.ways.each_predecessor(i, [&](uint32_t from, FlowGraph::Way, uint32_t) {
        const RegisterUse& use = code.registers[from];
        const uint32_t written = use.writes.front().first;
        for (const auto& each : in[from])
          if (use.conditional || each.second != written) in[i].insert(each);
        in[i].insert({from, written});
      });
      changed |= in[i].size() != before;
    }
  }
  return in;
}

TEST(ReachingDefinitions, AreThoseOfTheTextbookInAnyCode) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    Flow flow;
    std::vector<std::string> lines;
    const uint32_t size = 2 + below(12);
    for (uint32_t i = 0; i < size; ++i) {
      lines.push_back(
          format("%sadd r%u <- r%u r%u", below(4) == 0 ? "@ " : "", below(4), below(4), below(4)));
      flow.falls_through.push_back(below(6) > 0);
      if (below(3) == 0) flow.jumps.push_back({i, below(size)});
    }
    const CodeFlow code = made_up_code(lines, flow);
    const auto all = forward(code);
    ReachingDefinitions search(code, UINT64_MAX);
    for (uint32_t i = 0; i < size; ++i) {
      std::set<uint32_t> expected, found;
      for (const auto& [index, written] : all[i])
        for (const RegisterRange& read : code.registers[i].reads)
          if (read.first == written) expected.insert(index);
      for (const Dependency& each : search.of(i, {}).all) found.insert(each.index);
      EXPECT_EQ(found, expected) << "round " << round << ", instruction " << i;
    }
  }
}

// Each instruction jumps to all others.
TEST(ReachingDefinitions, EndsInCodeThatIsMadeToTakeLong) {
  Flow flow;
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < 300; ++i) {
    lines.push_back("@ add r" + std::to_string(i % 64) + " <- r1");
    for (uint32_t to = 0; to < 300; ++to) flow.jumps.push_back({i, to});
  }
  lines[7] = "add r99 <- r0+64";
  const CodeFlow code = made_up_code(lines, flow);
  ReachingDefinitions all(code, 5000);
  EXPECT_EQ(all.of(7, {}).all.size(), ReachingDefinitions::kMaxFound);
  all.of(7, {});
  EXPECT_LE(all.steps_left(), 5000u);
  for (int i = 0; i < 20; ++i) all.of(7, {});
  EXPECT_EQ(all.steps_left(), 0u);
  EXPECT_FALSE(all.of(7, {}).complete);
}

}  // namespace
}  // namespace aiflame
