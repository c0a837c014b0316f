// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree/flame_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "libcommon/base/program.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/tree/flame_chart.h"
#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

struct Line {
  std::string stack;
  uint64_t count;
};

// The frames as "depth:name@start+count", in the order they are drawn.
std::string drawn(const FlameTree& tree, double least = 0) {
  std::string out;
  for (const Frame& frame : lay_out(tree, least, 0))
    out += std::to_string(frame.depth) + ":" + std::string(tree.name(frame.node)) + "@" +
           std::to_string(frame.start) + "+" + std::to_string(frame.count) + " ";
  return out;
}

FlameTree merged(const std::vector<Line>& lines) {
  StackSorter sorter;
  for (const Line& line : lines) sorter.add(line.stack, line.count);
  return merged_tree(std::move(sorter));
}

std::string drawn(const std::vector<Line>& lines, double least = 0) {
  return drawn(merged(lines), least);
}

// The same, with each line added to one of `sorters` sorters.
std::string drawn_of_several(const std::vector<Line>& lines, size_t sorters, std::mt19937& random) {
  std::vector<StackSorter> all(sorters);
  for (const Line& line : lines) all[random() % sorters].add(line.stack, line.count);
  return drawn(merged_tree(std::move(all)));
}

std::string chart(const std::vector<Line>& lines) {
  FlameChart chart;
  for (const Line& line : lines) {
    const CountedStack stack{line.stack, line.count, line.count};
    chart.add(std::span(&stack, 1));
  }
  return drawn(chart.finish());
}

TEST(FlameTree, Merges) {
  EXPECT_EQ(drawn({{"a;b", 1}, {"a;c", 2}, {"a;b", 4}}), "0:@0+7 1:a@0+7 2:b@0+5 2:c@5+2 ");
}

// In sorted lines `a.x` comes between `a` and `a;b`: merging only neighbours would draw `a` twice.
TEST(FlameTree, DrawsAFrameOnce) {
  EXPECT_EQ(drawn({{"a", 1}, {"a.x", 1}, {"a;b", 1}}), "0:@0+3 1:a@0+2 2:b@1+1 1:a.x@2+1 ");
}

// When no frame would be drawn twice, the order is that of the sorted lines: '.' comes before ';'.
TEST(FlameTree, OrderOfSortedLines) {
  EXPECT_EQ(drawn({{"a;b", 1}, {"a.x;c", 1}}), "0:@0+2 1:a.x@0+1 2:c@0+1 1:a@1+1 2:b@1+1 ");
}

TEST(FlameTree, AStacksOwnCountIsAtTheLeft) {
  EXPECT_EQ(drawn({{"a;b", 3}, {"a", 2}}), "0:@0+5 1:a@0+5 2:b@2+3 ");
}

TEST(FlameTree, OrderOfInputDoesNotMatter) {
  std::vector<Line> lines;
  for (int i = 0; i < 500; ++i)
    lines.push_back({"r" + std::to_string(i % 3) + ";m" + std::to_string(i % 40) + ";l" +
                         std::to_string(i % 7) + (i % 5 == 0 ? "" : ";x" + std::to_string(i)),
                     static_cast<uint64_t>(i % 11 + 1)});
  const std::string expected = drawn(lines);
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(lines.begin(), lines.end(), random);
    EXPECT_EQ(drawn(lines), expected);
    EXPECT_EQ(drawn_of_several(lines, 1 + static_cast<size_t>(round), random), expected);
  }
}

// Enough stacks that several threads merge them.
TEST(FlameTree, ManyStacks) {
  std::mt19937 random(3);
  std::vector<Line> lines;
  std::string stack;
  for (int i = 0; i < 30000; ++i) {
    // a walk over a tree of some 40 levels
    const size_t keep = random() % 10 == 0 ? random() % (stack.size() + 1) : stack.size() * 3 / 4;
    stack.resize(std::min(
        stack.size(), stack.rfind(';', keep) == std::string::npos ? 0 : stack.rfind(';', keep)));
    while (random() % 12 != 0)
      stack += (stack.empty() ? "f" : ";f") + std::to_string(random() % 300);
    lines.push_back({stack, 1 + random() % 5});
  }
  std::map<std::string, uint64_t> sums;
  for (const Line& line : lines) sums[line.stack] += line.count;
  std::vector<Line> summed;
  for (const auto& [text, count] : sums) summed.push_back({text, count});
  const std::string expected = drawn(summed);
  EXPECT_EQ(drawn(lines), expected);
  EXPECT_EQ(drawn_of_several(lines, 2, random), expected);
  std::shuffle(lines.begin(), lines.end(), random);
  EXPECT_EQ(drawn(lines), expected);
  EXPECT_EQ(drawn_of_several(lines, 3, random), expected);
}

// Runs are merged before there are too many, so stacks that occur again take no more memory.
TEST(FlameTree, RunsOfTheSameStacks) {
  StackSorter sorter;
  const std::vector<std::string> texts = {"a;b;c", "a;b", "d"};
  for (int round = 0; round < 5000; ++round) {
    // each batch begins with a stack less than the end of the last one, so it becomes a run
    std::vector<CountedStack> batch;
    for (const std::string& text : texts) batch.push_back({text, 2, 1});
    if (round == 3000) sorter.make_differential();
    if (round == 4000) sorter.scale(10);
    sorter.add(batch);
    ASSERT_LE(sorter.runs().runs().size(), 256U);
    ASSERT_LT(sorter.runs().bytes(), 100000U);
  }
  const FlameTree tree = merged_tree(std::move(sorter));
  // 4000 rounds times ten, and 1000
  EXPECT_EQ(drawn(tree), "0:@0+246000 1:a@0+164000 2:b@0+164000 3:c@82000+82000 1:d@164000+82000 ");
  // equal to the count up to round 3000, then 1 for each stack
  EXPECT_EQ(tree.total_before(FlameTree::kRoot), 3U * (3000 * 20 + 1000 * 10 + 1000));
}

// Some names are beginnings of others, and some have bytes that sort before and after a blank and a
// ';'. Any order of the lines gives the same tree.
TEST(FlameTree, SortedOrNot) {
  const std::vector<std::string> names = {"a",
                                          "a.",
                                          "a b",
                                          "a<",
                                          "a\x01",
                                          "",
                                          "ab",
                                          "a.x",
                                          "a b ",
                                          " a",
                                          "a.x.y",
                                          "b",
                                          std::string("a\0", 2)};
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Line> lines;
    for (int i = 0; i < 60; ++i) {
      std::string stack;
      const size_t depth = 1 + random() % 4;
      for (size_t d = 0; d < depth; ++d)
        stack += (d > 0 ? ";" : "") + names[random() % names.size()];
      lines.push_back({stack, 1 + random() % 3});
    }
    std::map<std::string, uint64_t> expected;  // the count of each beginning of a stack
    for (const Line& line : lines) {
      std::string stack = line.stack;
      while (!stack.empty() && stack.back() == ';') stack.pop_back();
      expected["/"] += line.count;
      for (size_t end = 0; !stack.empty() && end != std::string::npos; ++end) {
        end = stack.find(';', end);
        expected["/" + stack.substr(0, end) + ";"] += line.count;
        if (end == std::string::npos) break;
      }
    }
    std::sort(lines.begin(), lines.end(), [](const Line& x, const Line& y) {
      return x.stack + " " + std::to_string(x.count) < y.stack + " " + std::to_string(y.count);
    });
    const std::string sorted = drawn(lines);
    const FlameTree tree = merged(lines);
    std::map<std::string, uint64_t> counts;
    std::vector<std::string> paths(tree.size());
    paths[0] = "/";
    for (uint32_t node = 0; node < tree.size(); ++node) {
      EXPECT_TRUE(counts.emplace(paths[node], tree.total(node)).second) << paths[node];
      for (const uint32_t child : tree.children(node))
        paths[child] = paths[node] + std::string(tree.name(child)) + ";";
    }
    EXPECT_EQ(counts, expected);
    // sorted so that the end of a stack comes before a blank
    std::sort(lines.begin(), lines.end(),
              [](const Line& x, const Line& y) { return x.stack + "\x1f" < y.stack + "\x1f"; });
    EXPECT_EQ(drawn(lines), sorted);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      std::shuffle(lines.begin(), lines.end(), random);
      EXPECT_EQ(drawn(lines), sorted);
      EXPECT_EQ(drawn_of_several(lines, 2, random), sorted);
    }
  }
}

// The blank after a frame with a count of its own decides its position, and its descendants move
// with it.
TEST(FlameTree, DescendantsMoveWithTheirFrame) {
  EXPECT_EQ(drawn({{"m;a.x;q", 1}, {"m;a;r;s.t", 1}, {"m;a;r;s;u", 1}, {"m;a;r;s", 1}}),
            "0:@0+4 1:m@0+4 2:a.x@0+1 3:q@0+1 2:a@1+3 3:r@1+3 4:s@1+2 5:u@2+1 4:s.t@3+1 ");
  EXPECT_EQ(drawn({{"m;a.x;q", 1}, {"m;a;r;s.t", 1}, {"m;a;r;s;u", 1}, {"m;a;r;s", 1}, {"m;a", 1}}),
            "0:@0+5 1:m@0+5 2:a@0+4 3:r@1+3 4:s@1+2 5:u@2+1 4:s.t@3+1 2:a.x@4+1 3:q@4+1 ");
}

TEST(FlameTree, StacksOfAnyDepth) {
  std::vector<Line> lines;
  std::string stack, expected = "0:@0+40 ";
  for (int i = 1; i <= 40; ++i) {
    stack += (i > 1 ? ";f" : "f") + std::to_string(i);
    lines.push_back({stack, 1});
    expected += std::to_string(i) + ":f" + std::to_string(i) + "@" + std::to_string(i - 1) + "+" +
                std::to_string(41 - i) + " ";
  }
  EXPECT_EQ(drawn(lines), expected);
  std::reverse(lines.begin(), lines.end());
  EXPECT_EQ(drawn(lines), expected);
}

TEST(FlameTree, PrefixesOfNamesAreOtherFrames) {
  EXPECT_EQ(drawn({{"ab;c", 1}, {"a;c", 1}, {"abc;c", 1}, {"ab", 1}}),
            "0:@0+4 1:a@0+1 2:c@0+1 1:ab@1+2 2:c@2+1 1:abc@3+1 2:c@3+1 ");
}

TEST(FlameTree, EmptyFrames) {
  EXPECT_EQ(drawn({{"a;;b", 2}, {"c;;", 1}, {"", 3}}), "0:@0+6 1:a@3+2 2:@3+2 3:b@3+2 1:c@5+1 ");
  EXPECT_EQ(drawn({{";a", 1}, {"a", 1}}), "0:@0+2 1:@0+1 2:a@0+1 1:a@1+1 ");
}

TEST(FlameTree, InputOrder) {
  EXPECT_EQ(chart({{"b;x", 1}, {"b;y", 2}, {"a", 3}, {"b;x", 4}}),
            "0:@0+10 1:b@0+3 2:x@0+1 2:y@1+2 1:a@3+3 1:b@6+4 2:x@6+4 ");
  // a line with a stack's own count closes the frames on top of it
  EXPECT_EQ(chart({{"b;x", 1}, {"b", 2}, {"b;x", 4}}), "0:@0+7 1:b@0+7 2:x@0+1 2:x@3+4 ");
}

TEST(FlameTree, NarrowFramesAreLeftOut) {
  EXPECT_EQ(drawn({{"a;b", 3}, {"a;c", 5}, {"d", 1}}, 4), "0:@0+9 1:a@0+8 2:c@3+5 ");
}

// Totals of up to 32 bits are held in 32 bits.
TEST(FlameTree, GreatCounts) {
  EXPECT_EQ(drawn({{"a;b", UINT32_MAX}}), "0:@0+4294967295 1:a@0+4294967295 2:b@0+4294967295 ");
  EXPECT_EQ(drawn({{"a;b", UINT32_MAX}, {"a", 1}}),
            "0:@0+4294967296 1:a@0+4294967296 2:b@1+4294967295 ");
  EXPECT_EQ(drawn({{"a;b", UINT64_MAX}}),
            "0:@0+18446744073709551615 1:a@0+18446744073709551615 2:b@0+18446744073709551615 ");
}

TEST(FlameTree, Scale) {
  StackSorter sorter;
  sorter.add("a;b", 2);
  sorter.scale(10);
  sorter.add("a", 1);
  EXPECT_EQ(drawn(merged_tree(std::move(sorter))), "0:@0+21 1:a@0+21 2:b@1+20 ");
}

TEST(FlameTree, Differential) {
  StackSorter sorter;
  sorter.add("a", 9);  // added before a stack with two counts
  sorter.add("a;b", 1, 4);
  sorter.add("c", 2);
  const FlameTree tree = merged_tree(std::move(sorter));
  EXPECT_TRUE(tree.differential());
  EXPECT_EQ(tree.total(FlameTree::kRoot), 12U);
  EXPECT_EQ(tree.total_before(FlameTree::kRoot), 15U);
  EXPECT_EQ(tree.self(2), 1U);
  EXPECT_EQ(tree.self_before(2), 4U);
}

TEST(FlameTree, DifferentialOfSeveralSorters) {
  std::vector<StackSorter> sorters(2);
  sorters[0].add("a", 9);  // with one count
  sorters[1].add("a", 1, 4);
  sorters[1].add("a.x", 0, 3);
  sorters[0].add("a;b", 2);
  const FlameTree tree = merged_tree(std::move(sorters));
  EXPECT_TRUE(tree.differential());
  EXPECT_EQ(drawn(tree), "0:@0+12 1:a@0+12 2:b@10+2 ");
  EXPECT_EQ(tree.total_before(FlameTree::kRoot), 18U);
  EXPECT_EQ(tree.self_before(1), 13U);
  EXPECT_EQ(tree.size(), 4U);
}

TEST(FlameTree, RoomForWhatVanished) {
  StackSorter sorter;
  sorter.add("a;grew", 5, 3);
  sorter.add("a;new", 4, 0);
  sorter.add("a;vanished", 0, 7);
  sorter.add("shrunk", 1, 10);
  FlameTree tree = merged_tree(std::move(sorter));
  EXPECT_EQ(drawn(tree), "0:@0+10 1:a@0+9 2:grew@0+5 2:new@5+4 1:shrunk@9+1 ");
  EXPECT_FALSE(tree.shows_vanished());
  tree.show_vanished();
  EXPECT_TRUE(tree.shows_vanished());
  std::string places;
  for (const Frame& frame : lay_out(tree, 0, 0))
    places += std::string(tree.name(frame.node)) + "@" + std::to_string(frame.start) + "+" +
              std::to_string(frame.count) + "/" + std::to_string(frame.room) + " ";
  EXPECT_EQ(places, "@0+10/26 a@0+9/16 grew@0+5/5 new@5+4/4 vanished@9+0/7 shrunk@16+1/10 ");
}

TEST(FlameTree, RoomThatDoesNotFit) {
  StackSorter sorter;
  sorter.add("a", UINT64_MAX, 0);
  sorter.add("b", 0, 1);
  FlameTree tree = merged_tree(std::move(sorter));
  EXPECT_THROW(tree.show_vanished(), Error);
}

TEST(FlameTree, DeepStacks) {
  std::string stack;
  for (int i = 0; i < 100000; ++i) stack += "f;";
  const FlameTree tree = merged({{stack, 1}, {stack + "g", 1}});
  EXPECT_EQ(lay_out(tree, 0, 0).size(), 100002U);
}

}  // namespace
}  // namespace aiflame::svg
