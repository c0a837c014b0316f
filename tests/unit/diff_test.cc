// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/diff.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame {
namespace {

struct Line {
  const char* stack;
  uint64_t count;
};

CountTable table(const std::vector<Line>& lines) {
  CountTable out;
  for (const Line& line : lines) EXPECT_TRUE(out.add(line.stack, {line.count, 0}));
  out.finish();
  return out;
}

std::string joined(const CountTable& before, const CountTable& after) {
  std::string out;
  join(before, after, [&](std::string_view stack, uint64_t was, uint64_t is) {
    out += std::string(stack) + " " + std::to_string(was) + " " + std::to_string(is) + "\n";
  });
  return out;
}

TEST(Diff, UnionOfStacksSorted) {
  EXPECT_EQ(joined(table({{"b", 1}, {"a", 2}, {"d", 3}}), table({{"c", 5}, {"b", 4}, {"b", 2}})),
            "a 2 0\nb 1 6\nc 0 5\nd 3 0\n");
}

TEST(Diff, Empty) {
  EXPECT_EQ(joined(table({}), table({})), "");
  EXPECT_EQ(joined(table({{"a", 1}}), table({})), "a 1 0\n");
}

TEST(Diff, ScaledTotalIsExact) {
  CountTable before = table({{"a", 1}, {"b", 1}, {"c", 1}});
  before.scale_to(100);
  EXPECT_EQ(before.total(), 100U);
  // the missing one goes to the first of equal remainders
  EXPECT_EQ(joined(before, table({})), "a 34 0\nb 33 0\nc 33 0\n");
}

TEST(Diff, ScaledTotalIsExactForAnyCounts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    CountTable before;
    for (int i = 0; i < 20; ++i)
      before.add("s" + std::to_string(i), {random() >> (6 + random() % 58), 0});
    before.finish();
    if (before.total() == 0) continue;
    const uint64_t total = random() >> (random() % 60);
    before.scale_to(total);
    uint64_t sum = 0;
    for (size_t i = 0; i < before.size(); ++i) sum += before.count(i);
    EXPECT_EQ(sum, total);
  }
}

TEST(Diff, Fractions) {
  CountTable counts;
  EXPECT_TRUE(counts.add("a", {3, 0}));
  EXPECT_TRUE(counts.add("a", {25, 2}));
  counts.finish();
  EXPECT_EQ(format_count(counts.count(0), counts.decimals()), "3.25");
  EXPECT_EQ(counts.total(), 325U);
}

TEST(Diff, OverflowIsRefused) {
  CountTable counts;
  EXPECT_TRUE(counts.add("a", {UINT64_MAX, 0}));
  EXPECT_FALSE(counts.add("a", {1, 0}));
  EXPECT_FALSE(counts.widen_to(1));
}

TEST(StripHex, Strips) {
  std::string out;
  strip_hex("a;0x7f3Ab+0x10;0x;x0x1_[g]", out);
  EXPECT_EQ(out, "a;0x...+0x...;0x;x0x..._[g]");
}

}  // namespace
}  // namespace aiflame
