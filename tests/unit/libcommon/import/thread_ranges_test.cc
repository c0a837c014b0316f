// SPDX-License-Identifier: MIT
#include "libcommon/import/thread_ranges.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

struct Moment {
  uint64_t thread, time;
  uint32_t stack = ImportedStacks::kEmpty;
};

class ThreadRangesTest : public testing::Test {
 protected:
  void add(uint64_t thread, uint64_t begin, uint64_t end, const char* name) {
    ranges_.add(thread, begin, end, stacks_.frame(name));
  }
  std::string around(uint64_t thread, uint64_t time) {
    std::vector<Moment> moments = {{thread, time}};
    ranges_.enclose(moments);
    return text(moments[0].stack);
  }
  std::string text(uint32_t stack) {
    std::string out;
    for (; stack != ImportedStacks::kEmpty; stack = stacks_.below(stack))
      out.insert(0, std::string(stacks_.text(stacks_.frame_of(stack))) + (out.empty() ? "" : ";"));
    return out;
  }

  ImportedStacks stacks_;
  ThreadRanges ranges_{stacks_};
};

TEST_F(ThreadRangesTest, NestedRanges) {
  add(1, 10, 20, "inner");
  add(1, 10, 30, "outer");
  add(2, 0, 100, "other thread");
  ranges_.sort();
  EXPECT_EQ(around(1, 9), "");
  EXPECT_EQ(around(1, 10), "outer;inner");
  EXPECT_EQ(around(1, 19), "outer;inner");
  EXPECT_EQ(around(1, 20), "outer");
  EXPECT_EQ(around(1, 30), "");
  EXPECT_EQ(around(2, 30), "other thread");
  EXPECT_EQ(around(3, 30), "");
}

TEST_F(ThreadRangesTest, RangesThatEndInAnyOrder) {
  add(1, 10, 30, "a");
  add(1, 20, 40, "b");
  ranges_.sort();
  EXPECT_EQ(around(1, 25), "a;b");
  EXPECT_EQ(around(1, 35), "b");
}

TEST_F(ThreadRangesTest, MomentsInTheirOrder) {
  add(2, 10, 20, "a");
  add(2, 12, UINT64_MAX, "never closed");
  add(1, 5, 6, "b");
  ranges_.sort();
  std::vector<Moment> moments = {{1, 5}, {1, 6}, {2, 9}, {2, 11}, {2, 15}, {2, 99}};
  ranges_.enclose(moments);
  std::vector<std::string> texts;
  for (const Moment& one : moments) texts.push_back(text(one.stack));
  EXPECT_EQ(texts, (std::vector<std::string>{"b", "", "", "a", "a;never closed", "never closed"}));
}

TEST_F(ThreadRangesTest, StandsOnWhatIsThere) {
  add(1, 0, 9, "a");
  ranges_.sort();
  std::vector<Moment> moments = {{1, 5, stacks_.root("app")}};
  ranges_.enclose(moments);
  EXPECT_EQ(text(moments[0].stack), "app;a");
}

// Ranges that are never closed must not make each moment dearer than the one before.
TEST_F(ThreadRangesTest, DepthIsBounded) {
  for (uint64_t i = 0; i < 20000; ++i) add(1, i, UINT64_MAX, "open");
  ranges_.sort();
  std::vector<Moment> moments;
  for (uint64_t i = 0; i < 20000; ++i) moments.push_back({1, i});
  ranges_.enclose(moments);
  size_t depth = 0;
  for (uint32_t at = moments.back().stack; at != ImportedStacks::kEmpty; at = stacks_.below(at))
    ++depth;
  EXPECT_EQ(depth, ThreadRanges::kDeepest);
}

}  // namespace
}  // namespace aiflame
