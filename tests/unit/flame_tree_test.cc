// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/flame_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tools/aiflame-svg/layout.h"

namespace aiflame {
namespace {

struct Line {
  std::string stack;
  uint64_t count;
};

// The frames as "depth:name@start+count", in the order they are drawn.
std::string drawn(const std::vector<Line>& lines, FlameTree::Order order = FlameTree::Order::merged,
                  double least = 0) {
  FlameTree tree(order);
  for (const Line& line : lines) EXPECT_TRUE(tree.add(line.stack, line.count));
  tree.finish();
  std::string out;
  for (const Frame& frame : lay_out(tree, least, 0))
    out += std::to_string(frame.depth) + ":" + std::string(tree.name(frame.node)) + "@" +
           std::to_string(frame.start) + "+" + std::to_string(frame.count) + " ";
  return out;
}

TEST(FlameTree, Merges) {
  EXPECT_EQ(drawn({{"a;b", 1}, {"a;c", 2}, {"a;b", 4}}), "0:@0+7 1:a@0+7 2:b@0+5 2:c@5+2 ");
}

// Sorted lines hold `a.x` between `a` and `a;b`: merging only neighbours would draw `a` twice.
TEST(FlameTree, DrawsAFrameOnce) {
  EXPECT_EQ(drawn({{"a", 1}, {"a.x", 1}, {"a;b", 1}}), "0:@0+3 1:a@0+2 2:b@1+1 1:a.x@2+1 ");
}

// ... but where nothing is split, the order is that of the sorted lines: '.' is before ';'.
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
  }
}

// Names that are beginnings of others, with what sorts in front of and behind a blank and a ';': as
// a file sorts them nothing is looked up, in any other order everything is, and both are the same
// tree.
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
    std::map<std::string, uint64_t> expected;  // each beginning of a stack, and what it counts
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
    FlameTree tree;
    for (const Line& line : lines) EXPECT_TRUE(tree.add(line.stack, line.count));
    tree.finish();
    std::map<std::string, uint64_t> counts;
    std::vector<std::string> paths(tree.size());
    for (uint32_t node = 0; node < tree.size(); ++node) {
      paths[node] = node == 0 ? "/" : paths[tree.parent(node)] + std::string(tree.name(node)) + ";";
      EXPECT_TRUE(counts.emplace(paths[node], tree.total(node)).second) << paths[node];
    }
    EXPECT_EQ(counts, expected);
    // sorted without a doubt: the end of a stack in front of a blank
    std::sort(lines.begin(), lines.end(),
              [](const Line& x, const Line& y) { return x.stack + "\x1f" < y.stack + "\x1f"; });
    EXPECT_EQ(drawn(lines), sorted);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      std::shuffle(lines.begin(), lines.end(), random);
      EXPECT_EQ(drawn(lines), sorted);
    }
  }
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
  EXPECT_EQ(drawn({{"b;x", 1}, {"b;y", 2}, {"a", 3}, {"b;x", 4}}, FlameTree::Order::input),
            "0:@0+10 1:b@0+3 2:x@0+1 2:y@1+2 1:a@3+3 1:b@6+4 2:x@6+4 ");
  // a stack's own count ends what stood on top of it
  EXPECT_EQ(drawn({{"b;x", 1}, {"b", 2}, {"b;x", 4}}, FlameTree::Order::input),
            "0:@0+7 1:b@0+7 2:x@0+1 2:x@3+4 ");
}

TEST(FlameTree, NarrowFramesAreLeftOut) {
  EXPECT_EQ(drawn({{"a;b", 3}, {"a;c", 5}, {"d", 1}}, FlameTree::Order::merged, 4),
            "0:@0+9 1:a@0+8 2:c@3+5 ");
}

TEST(FlameTree, OverflowIsRefused) {
  FlameTree tree;
  EXPECT_TRUE(tree.add("a", UINT64_MAX - 1));
  EXPECT_FALSE(tree.add("b", 2));
  EXPECT_TRUE(tree.add("b", 1));
  EXPECT_FALSE(tree.scale(10));
  tree.finish();
  EXPECT_EQ(tree.total(FlameTree::kRoot), UINT64_MAX);
}

TEST(FlameTree, Differential) {
  FlameTree tree;
  EXPECT_TRUE(tree.add("a", 9));  // before it is known that there are two counts
  EXPECT_TRUE(tree.add("a;b", 1, 4));
  EXPECT_TRUE(tree.add("c", 2));
  tree.finish();
  EXPECT_TRUE(tree.differential());
  EXPECT_EQ(tree.total(FlameTree::kRoot), 12U);
  EXPECT_EQ(tree.total_before(FlameTree::kRoot), 15U);
  EXPECT_EQ(tree.self(2), 1U);
  EXPECT_EQ(tree.self_before(2), 4U);
}

TEST(FlameTree, DeepStacks) {
  std::string stack;
  for (int i = 0; i < 100000; ++i) stack += "f;";
  FlameTree tree;
  EXPECT_TRUE(tree.add(stack, 1));
  EXPECT_TRUE(tree.add(stack + "g", 1));
  tree.finish();
  EXPECT_EQ(lay_out(tree, 0, 0).size(), 100002U);
}

TEST(ReverseStack, Reverses) {
  std::string out;
  reverse_stack("a;b;c", out);
  EXPECT_EQ(out, "c;b;a");
  reverse_stack("a;;b;", out);
  EXPECT_EQ(out, "b;;a");
  reverse_stack("", out);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace aiflame
