// SPDX-License-Identifier: MIT
#include "libcommon/code/counter_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace aiflame {
namespace {

using Indices = std::vector<uint32_t>;

// One instruction for each word: `c` counts, `s` counts out of order, a digit waits until so many
// are left, `0c` waits and then counts, `-` does neither, `e` ends.
struct Code {
  std::vector<CounterUse> uses;
  Flow flow;

  explicit Code(const std::string& words) {
    for (size_t i = 0; i < words.size();) {
      const size_t end = std::min(words.find(' ', i), words.size());
      CounterUse use;
      bool ends = false;
      for (const char c : words.substr(i, end - i)) {
        if (c >= '0' && c <= '9') use.leaves = static_cast<uint8_t>(c - '0');
        use.counts = use.counts || c == 'c' || c == 's';
        use.in_order = use.in_order && c != 's';
        ends = ends || c == 'e';
      }
      uses.push_back(use);
      flow.falls_through.push_back(!ends);
      i = end + 1;
    }
  }

  // What the instruction waits for, or would if it left so many.
  Indices at(uint32_t index, uint8_t leaves) const {
    return awaited(FlowGraph(flow), index, leaves, [&](uint32_t i) { return uses[i]; });
  }
  Indices at(uint32_t index) const { return at(index, uses[index].leaves); }
};

TEST(CounterSearch, AllThatCountedSinceTheLastWait) {
  const Code code("c - c 0 c c - 0 0");
  EXPECT_EQ(code.at(3), (Indices{0, 2}));
  EXPECT_EQ(code.at(7), (Indices{4, 5}));
  EXPECT_EQ(code.at(8), Indices{});
}

TEST(CounterSearch, TheYoungestMayBeLeft) {
  const Code code("c c c 1 c 1 0");
  EXPECT_EQ(code.at(3), (Indices{0, 1}));
  EXPECT_EQ(code.at(5), Indices{2});  // the wait at 3 has left one
  EXPECT_EQ(code.at(6), Indices{4});
  EXPECT_EQ(Code("c c 2").at(2), Indices{});
}

TEST(CounterSearch, AnInstructionWaitsBeforeItCounts) {
  const Code code("c 0c 0");
  EXPECT_EQ(code.at(1), Indices{0});
  EXPECT_EQ(code.at(2), Indices{1});
}

// What ends in any order is only known where all of it is waited for.
TEST(CounterSearch, OutOfOrder) {
  const Code code("c s c 1 0");
  EXPECT_EQ(code.at(3), Indices{});
  EXPECT_EQ(Code("c s c 0").at(3), (Indices{0, 1, 2}));
  EXPECT_EQ(Code("s 0 c c 1").at(4), Indices{2});
}

// Software pipelining: the load for the next round but one is issued before this one's is awaited.
TEST(CounterSearch, AroundALoop) {
  Code code("c c c 2 - 0");  // 0 and 1 before the loop; 2 to 4 are the loop
  code.flow.jumps = {{4, 2}};
  EXPECT_EQ(code.at(3), (Indices{0, 1, 2}));  // in the first round, in the second, and later
  EXPECT_EQ(code.at(5), (Indices{1, 2}));
}

TEST(CounterSearch, SeveralWays) {
  Code code("c e c - 0");
  code.flow.jumps = {{1, 4}};
  EXPECT_EQ(code.at(4), (Indices{0, 2}));
}

// 0 c, 1 call 6, 2 c, 3 call 6, 4 wait, 5 end; 6 f: wait, 7 c, 8 return
TEST(CounterSearch, ThroughCalls) {
  Code code("c e c e 0 e 0 c e");
  code.flow.returns = {false, false, false, false, false, false, false, false, true};
  code.flow.calls = {{1, 6}, {3, 6}};
  EXPECT_EQ(code.at(6), (Indices{0, 2, 7}));  // set by its callers
  EXPECT_EQ(code.at(4), Indices{7});
  // a way that came from below the first call leaves the function there
  code.uses[6] = {};
  code.uses[2] = {.leaves = 0};
  EXPECT_EQ(code.at(2), (Indices{0, 7}));
}

TEST(CounterSearch, HostileCodeEnds) {
  Code code("0");
  for (int i = 0; i < 50000; ++i) {
    code.uses.push_back({.counts = i % 3 == 0});
    code.flow.falls_through.push_back(true);
  }
  const auto size = static_cast<uint32_t>(code.uses.size());
  code.flow.returns.assign(size, true);
  for (uint32_t i = 0; i < size; ++i) {
    code.flow.jumps.push_back({i, i * 7 % 1000});
    code.flow.calls.push_back({i, i * 11 % 1000});
  }
  for (const int leaves : {0, 5, 62, 63, 200}) code.at(500, static_cast<uint8_t>(leaves));
}

}  // namespace
}  // namespace aiflame
