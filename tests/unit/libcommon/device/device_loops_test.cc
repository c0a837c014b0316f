// SPDX-License-Identifier: MIT
#include "libcommon/device/device_loops.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

SourceFrame frame(const std::string& function, uint32_t line) {
  SourceFrame out;
  out.function = function;
  out.file = "a.cl";
  out.line = line;
  return out;
}

using Frames = std::vector<SourceFrame>;

uint32_t line(const Frames& head, const std::vector<Frames>& back_jumps) {
  const SourceFrame* const found = loop_line(head, back_jumps);
  return found == nullptr ? 0 : found->line;
}

TEST(LoopLine, IsThatOfTheJumpBack) {
  EXPECT_EQ(line({frame("f", 67)}, {{frame("f", 45)}}), 45u);
}

TEST(LoopLine, OfSeveralJumpsBackIsTheFirstLine) {
  EXPECT_EQ(line({frame("f", 9)}, {{frame("f", 12)}, {frame("f", 0)}, {frame("f", 10)}}), 10u);
}

TEST(LoopLine, IsTheHeadsWhereNoJumpHasOne) {
  EXPECT_EQ(line({frame("f", 67)}, {{frame("f", 0)}}), 67u);
  EXPECT_EQ(line({frame("f", 0)}, {{frame("f", 0)}}), 0u);
  EXPECT_EQ(line({}, {{frame("f", 3)}}), 0u);
  EXPECT_EQ(line({frame("f", 3)}, {{}}), 0u);
  EXPECT_EQ(line({frame("f", 3)}, {}), 3u);
}

// The loop in f, with its test in !=, which is inlined at line 20 of f; its head is in *, at 21.
TEST(LoopLine, IsInTheFunctionThatHoldsHeadAndJump) {
  EXPECT_EQ(line({frame("*", 500), frame("f", 21)}, {{frame("!=", 600), frame("f", 20)}}), 20u);
  EXPECT_EQ(line({frame("f", 21)}, {{frame("!=", 600), frame("f", 20)}}), 20u);
}

// The whole loop is in g, which is inlined at line 20 of f.
TEST(LoopLine, MayBeInAnInlinedFunction) {
  EXPECT_EQ(line({frame("g", 7), frame("f", 20)}, {{frame("g", 5), frame("f", 20)}}), 5u);
}

// Two copies of g: one is called at line 20, the other at 22.
TEST(LoopLine, OfTwoCopiesOfAnInlinedFunctionIsTheirCallers) {
  EXPECT_EQ(line({frame("g", 7), frame("f", 20)}, {{frame("g", 5), frame("f", 22)}}), 22u);
}

}  // namespace
}  // namespace aiflame
