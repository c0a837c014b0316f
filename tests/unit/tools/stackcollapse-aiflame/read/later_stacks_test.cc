// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/later_stacks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace aiflame::collapse {
namespace {

using Items = std::vector<uint32_t>;

// Keeps the stacks that it is given, and their counts.
struct Sink {
  struct Count {
    uint32_t stack;
    uint64_t count;
    std::optional<uint64_t> time;
    bool operator==(const Count&) const = default;
  };
  std::vector<Items> stacks;
  std::vector<Count> counts;
};

// Later frame N is text 10 N. Stacks have numbers from 101.
std::vector<uint32_t> give(LaterStacks& later, Sink& sink) {
  return later.give(
      [](uint32_t& frame) {
        if (LaterStacks::is_later(frame)) frame = LaterStacks::number(frame) * 10;
      },
      [&](const Items& items) {
        sink.stacks.push_back(items);
        return static_cast<uint32_t>(100 + sink.stacks.size());
      },
      [&](uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
        sink.counts.push_back({stack, count, time});
      });
}

TEST(LaterStacks, AreGivenWithTheirNamesAndCounts) {
  const Items one = {1, LaterStacks::later(7), 2}, two = {1, 3};
  EXPECT_TRUE(LaterStacks::has_later(one));
  EXPECT_FALSE(LaterStacks::has_later(two));
  LaterStacks stacks;
  EXPECT_EQ(stacks.add(one), 0u);
  EXPECT_EQ(stacks.add(two), 1u);
  stacks.count(1, 5, std::nullopt);
  stacks.count(0, 6, 99);
  stacks.count(1, 7, 0);
  Sink sink;
  EXPECT_EQ(give(stacks, sink), (Items{101, 102}));
  EXPECT_EQ(sink.stacks, (std::vector<Items>{{1, 70, 2}, {1, 3}}));
  EXPECT_EQ(sink.counts,
            (std::vector<Sink::Count>{{102, 5, std::nullopt}, {101, 6, 99}, {102, 7, 0}}));
}

TEST(LaterStacks, AreForgottenWhenTheyAreGiven) {
  LaterStacks stacks;
  Sink sink;
  stacks.count(stacks.add({1, LaterStacks::later(0)}), 1, std::nullopt);
  give(stacks, sink);
  EXPECT_EQ(stacks.add({2}), 0u);
  EXPECT_EQ(give(stacks, sink), Items{102});
  EXPECT_EQ(sink.stacks.back(), Items{2});
  EXPECT_EQ(sink.counts.size(), 1u);
}

TEST(LaterStacks, AreFullAtSomePoint) {
  LaterStacks stacks;
  const uint32_t stack = stacks.add({1});
  EXPECT_FALSE(stacks.is_full());
  for (int i = 0; i < 1 << 16; ++i) stacks.count(stack, 1, std::nullopt);
  EXPECT_TRUE(stacks.is_full());
  Sink sink;
  give(stacks, sink);
  EXPECT_EQ(sink.counts.size(), size_t{1} << 16);
  EXPECT_FALSE(stacks.is_full());
}

TEST(LaterStacks, RefuseNumbersThatWouldBeTakenForLaterOnes) {
  EXPECT_EQ(LaterStacks::checked(INT32_MAX), uint32_t{INT32_MAX});
  EXPECT_THROW(LaterStacks::checked(uint32_t{1} << 31), Error);
}

}  // namespace
}  // namespace aiflame::collapse
