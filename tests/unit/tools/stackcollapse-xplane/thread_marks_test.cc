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
  EXPECT_EQ(text(stacks, walk.stack_at(-1)), "");
  EXPECT_EQ(text(stacks, walk.stack_at(0)), "a");
  EXPECT_EQ(text(stacks, walk.stack_at(24)), "a;b;c");
  EXPECT_EQ(text(stacks, walk.stack_at(25)), "a;b");
  EXPECT_EQ(text(stacks, walk.stack_at(99)), "a");
  EXPECT_EQ(text(stacks, walk.stack_at(100)), "");
}

TEST(ThreadMarks, OnlySomeHundredAreDrawnOnOneAnother) {
  ImportedStacks stacks;
  ThreadMarks marks;
  for (int i = 0; i < 2000; ++i) marks.add(i, 10000 - i, stacks.frame("f"));
  marks.sort();
  ThreadMarks::Walk walk(marks, stacks);
  size_t frames = 0;
  for (uint32_t at = walk.stack_at(5000); at != ImportedStacks::kEmpty; at = stacks.below(at))
    ++frames;
  EXPECT_EQ(frames, 500U);
}

}  // namespace
}  // namespace aiflame::xplane
