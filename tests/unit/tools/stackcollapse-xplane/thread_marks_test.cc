// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/thread_marks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aiflame::xplane {
namespace {

std::string text(const ImportedStacks& stacks, uint32_t stack) {
  std::vector<std::string> frames;
  for (; stack != ImportedStacks::kEmpty; stack = stacks.below(stack))
    frames.emplace_back(stacks.text(stacks.frame_of(stack)));
  std::string out;
  for (size_t i = frames.size(); i-- > 0;) out.append(frames[i]).append(i > 0 ? ";" : "");
  return out;
}

TEST(ThreadMarks, WhatHasBegunAndNotEnded) {
  ImportedStacks stacks;
  ThreadMarks marks;
  marks.add(20, 30, stacks.frame("b"));
  marks.add(0, 100, stacks.frame("a"));
  marks.add(20, 25, stacks.frame("c"));
  marks.sort();
  ThreadMarks::Walk walk(marks, stacks);
  EXPECT_EQ(text(stacks, walk.stack_at(-1).stack), "");
  EXPECT_EQ(text(stacks, walk.stack_at(0).stack), "a");
  EXPECT_EQ(text(stacks, walk.stack_at(24).stack), "a;b;c");
  EXPECT_EQ(text(stacks, walk.stack_at(25).stack), "a;b");
  EXPECT_EQ(text(stacks, walk.stack_at(99).stack), "a");
  EXPECT_EQ(text(stacks, walk.stack_at(100).stack), "");
}

TEST(ThreadMarks, OnlySomeHundredAreDrawnOnOneAnother) {
  ImportedStacks stacks;
  ThreadMarks marks;
  for (int i = 0; i < 2000; ++i) marks.add(i, 10000 - i, stacks.frame("f"));
  marks.sort();
  ThreadMarks::Walk walk(marks, stacks);
  EXPECT_FALSE(walk.stack_at(500).is_truncated());  // 501, and none between
  const DeepStack deep = walk.stack_at(5000);
  EXPECT_TRUE(deep.is_truncated());
  // the first 500, what is left out, and the innermost
  size_t frames = 0;
  for (uint32_t at = deep.stack; at != ImportedStacks::kEmpty; at = stacks.below(at)) ++frames;
  EXPECT_EQ(frames, 502U);
  EXPECT_EQ(stacks.text(stacks.frame_of(stacks.below(deep.stack))), "[truncated]");
}

}  // namespace
}  // namespace aiflame::xplane
