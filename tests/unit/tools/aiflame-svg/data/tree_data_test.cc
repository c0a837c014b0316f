// SPDX-License-Identifier: MIT
// tests/browser/tree_data_test.py tests how a browser reads the data.
#include "tools/aiflame-svg/data/tree_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tools/aiflame-svg/data/packed_number.h"
#include "tools/aiflame-svg/tree/flame_chart.h"
#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

std::string number_text(uint64_t value) {
  std::string out;
  append_number(out, value);
  return out;
}

TEST(TreeData, NumbersAreFiveBitsACharacter) {
  EXPECT_EQ(number_text(0), "?");
  EXPECT_EQ(number_text(31), "^");
  EXPECT_EQ(number_text(32), "_@");  // 0 and more, then 1
  // from Google's description of its format: 174 is "mD"
  EXPECT_EQ(number_text(174), "mD");
  EXPECT_EQ(number_text(UINT64_MAX), "~~~~~~~~~~~~N");
}

std::string data(const std::vector<std::pair<const char*, uint64_t>>& lines, uint64_t budget) {
  StackSorter sorter;
  for (const auto& [stack, count] : lines) sorter.add(stack, count);
  const FlameTree tree = merged_tree(std::move(sorter));
  std::string out;
  write_tree_data(tree, *Palette::find("red"), budget, [&](std::string_view text) { out += text; });
  return out;
}

TEST(TreeData, NodesFromTheRootUpwardsAndFromLeftToRight) {
  const std::string out = data({{"a;b", 1}, {"a;c", 3}, {"a", 2}}, kEmbedAll);
  // root; a with 2 of its own; b with 1; one back: c with 3
  EXPECT_NE(out.find("<g class=\"names\">\na\nb\nc</g>"), std::string::npos) << out;
  EXPECT_NE(out.find("<g class=\"nodes\">??@@A@A@DBB</g>"), std::string::npos) << out;
  EXPECT_NE(out.find("data-nodes=\"4\" data-names=\"4\" data-total=\"6\""), std::string::npos);
}

TEST(TreeData, NothingWhereNothingFits) {
  EXPECT_EQ(data({{"a", 1}}, 0), "");
  EXPECT_EQ(data({{"a", 1}}, 100), "");
}

// A node that was read back from the text.
struct Node {
  std::string path;
  uint64_t self = 0, rest = 0, frames = 0, gap = 0;
};

// The texts between `begin` and `end` of all elements of the class, joined.
std::string contents(const std::string& out, const std::string& of) {
  std::string all;
  const std::string begin = "<g class=\"" + of + "\">";
  for (size_t at = out.find(begin); at != std::string::npos; at = out.find(begin, at)) {
    at += begin.size();
    all += out.substr(at, out.find("</g>", at) - at);
  }
  return all;
}

uint64_t read_number(const std::string& text, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 5) {
    const auto digit = static_cast<uint64_t>(text.at(at++) - 63);
    value |= (digit & 31) << shift;
    if (digit < 32) return value;
  }
}

std::vector<Node> decoded(const std::string& out) {
  std::vector<std::string> names(1);
  for (const char c : contents(out, "names")) {
    if (c == '\n')
      names.emplace_back();
    else
      names.back() += c;
  }
  const std::string text = contents(out, "nodes");
  size_t at = 0;
  const auto number = [&] { return read_number(text, at); };
  std::vector<Node> nodes;
  std::vector<std::string> paths;  // of the frames that are open
  while (at < text.size()) {
    const uint64_t head = number();
    Node node;
    if (!nodes.empty()) paths.resize(paths.size() - head / 4);
    const std::string& name = names.at(number());
    node.path = paths.empty() ? "" : paths.back() + "/" + name;
    paths.push_back(node.path);
    if (head & 1) node.self = number();
    if (head & 2) {
      const uint64_t extras = number();
      if (extras & 1) node.gap = number();
      if (extras & 2) {
        node.rest = number();
        node.frames = number();
      }
    }
    nodes.push_back(node);
  }
  return nodes;
}

// A random walk over a tree, with enough stacks that the text is made in many pieces.
std::vector<std::pair<std::string, uint64_t>> walk(size_t stacks) {
  std::mt19937 random(5);
  std::vector<std::pair<std::string, uint64_t>> lines;
  std::vector<std::string> path;
  for (size_t i = 0; i < stacks; ++i) {
    path.resize(path.size() - std::min<size_t>(path.size(), 1 + random() % 4));
    while (path.size() < 3 || random() % 3 != 0)
      path.push_back("f" + std::to_string(random() % 500));
    std::string stack;
    for (const std::string& name : path) stack += (stack.empty() ? "" : ";") + name;
    lines.emplace_back(stack, 1 + random() % 30);
  }
  return lines;
}

std::map<std::string, uint64_t> counts_of(
    const std::vector<std::pair<std::string, uint64_t>>& lines) {
  std::map<std::string, uint64_t> counts = {{"", 0}};
  for (const auto& [stack, count] : lines) {
    std::string path;
    counts[path] += count;
    for (size_t begin = 0; begin <= stack.size();) {
      const size_t end = std::min(stack.find(';', begin), stack.size());
      counts[path += "/" + stack.substr(begin, end - begin)] += count;
      begin = end + 1;
    }
  }
  return counts;
}

TEST(TreeData, ManyNodesInManyPieces) {
  const auto lines = walk(100000);
  const std::map<std::string, uint64_t> expected = counts_of(lines);
  StackSorter sorter;
  std::vector<CountedStack> batch;
  for (const auto& [stack, count] : lines) batch.push_back({stack, count, count});
  sorter.add(batch);
  const FlameTree tree = merged_tree(std::move(sorter));
  ASSERT_GT(tree.size(), 200000U);
  const auto text = [&](uint64_t budget) {
    std::string out;
    write_tree_data(tree, *Palette::find("red"), budget,
                    [&](std::string_view piece) { out += piece; });
    return out;
  };

  const std::string all = text(kEmbedAll);
  std::map<std::string, uint64_t> found;
  const std::vector<Node> nodes = decoded(all);
  for (size_t i = nodes.size(); i-- > 0;) {
    EXPECT_EQ(nodes[i].frames, 0U);
    const uint64_t total = found[nodes[i].path] += nodes[i].self;
    if (i > 0) found[nodes[i].path.substr(0, nodes[i].path.rfind('/'))] += total;
  }
  EXPECT_TRUE(found == expected);
  EXPECT_EQ(nodes.size(), expected.size());

  for (const uint64_t budget : {2000U, 5000U, 70000U, 500000U}) {
    const std::string some = text(budget);
    EXPECT_LE(some.size(), budget);
    EXPECT_GT(some.size(), budget * 3 / 4);
    uint64_t sum = 0, frames = 0, narrowest = UINT64_MAX;
    std::map<std::string, bool> written;
    for (const Node& node : decoded(some)) {
      sum += node.self + node.rest;
      frames += 1 + node.frames;
      narrowest = std::min(narrowest, expected.at(node.path));
      EXPECT_TRUE(written.emplace(node.path, true).second) << node.path;
    }
    EXPECT_EQ(sum, expected.at(""));
    EXPECT_EQ(frames, expected.size());
    // the widest nodes are written, within a sixteenth
    for (const auto& [path, count] : expected)
      if (count > narrowest + narrowest / 8 + 1) {
        ASSERT_TRUE(written.contains(path)) << path << " " << count << " " << narrowest;
      }
  }
}

// What `totals` says of each name: self and total, in a differential before too.
struct Said {
  uint64_t self = 0, total = 0, self_before = 0, total_before = 0;
  bool operator==(const Said&) const = default;
};
std::map<std::string, Said> decoded_totals(const std::string& out, bool differential) {
  std::vector<std::string> names(1);
  for (const char c : contents(out, "names")) {
    if (c == '\n')
      names.emplace_back();
    else
      names.back() += c;
  }
  const std::string text = contents(out, "totals");
  size_t at = 0, line = 0;
  const auto number = [&] { return read_number(text, at); };
  std::map<std::string, Said> totals;
  while (at < text.size()) {
    line += number();
    Said said;
    said.self = number();
    said.total = said.self + number();
    if (differential) {
      said.self_before = number();
      said.total_before = said.self_before + number();
    }
    EXPECT_TRUE(totals.emplace(names.at(line), said).second) << names.at(line);
  }
  return totals;
}

// Whatever part of the nodes is written, the names that count most are, with their exact counts.
TEST(TreeData, TotalsOfNamesInATreeThatWasCut) {
  const auto lines = walk(60000);
  for (const bool differential : {false, true}) {
    std::map<std::string, Said> expected;
    StackSorter sorter;
    std::vector<CountedStack> batch;
    for (const auto& [stack, count] : lines) {
      const uint64_t before = differential ? count % 7 : count;
      batch.push_back({stack, count, before});
      std::map<std::string, bool> seen;
      for (size_t begin = 0; begin <= stack.size();) {
        const size_t end = std::min(stack.find(';', begin), stack.size());
        const std::string name = stack.substr(begin, end - begin);
        Said& said = expected[name];
        if (end == stack.size()) {
          said.self += count;
          if (differential) said.self_before += before;
        }
        if (seen.emplace(name, true).second) {
          said.total += count;
          if (differential) said.total_before += before;
        }
        begin = end + 1;
      }
    }
    if (differential) sorter.make_differential();
    sorter.add(batch);
    const FlameTree tree = merged_tree(std::move(sorter));
    ASSERT_EQ(tree.differential(), differential);
    const auto text = [&](uint64_t budget) {
      std::string out;
      write_tree_data(tree, *Palette::find("red"), budget,
                      [&](std::string_view piece) { out += piece; });
      return out;
    };
    EXPECT_EQ(text(kEmbedAll).find("totals"), std::string::npos);  // the nodes say it
    EXPECT_TRUE(decoded_totals(text(500000), differential) == expected);

    const std::map<std::string, Said> few = decoded_totals(text(20000), differential);
    EXPECT_GT(few.size(), 50U);
    EXPECT_LT(few.size(), expected.size());
    uint64_t least = UINT64_MAX;
    for (const auto& [name, said] : few) {
      EXPECT_TRUE(said == expected.at(name)) << name;
      least = std::min(least, std::max(said.self, said.self_before));
    }
    for (const auto& [name, said] : expected)
      if (std::max(said.self, said.self_before) > 2 * least) {
        EXPECT_TRUE(few.contains(name)) << name;
      }
  }
}

// In input order, nodes that were left out lie between the others.
TEST(TreeData, AFlameChartInManyPieces) {
  const auto lines = walk(50000);
  FlameChart chart;
  std::vector<CountedStack> batch;
  for (const auto& [stack, count] : lines) batch.push_back({stack, count, count});
  chart.add(batch);
  const FlameTree tree = chart.finish();
  for (const uint64_t budget : {20000U, 300000U}) {
    std::string out;
    write_tree_data(tree, *Palette::find("red"), budget,
                    [&](std::string_view piece) { out += piece; });
    EXPECT_LE(out.size(), budget);
    uint64_t sum = 0, frames = 0;
    for (const Node& node : decoded(out)) {
      sum += node.self + node.rest;
      frames += 1 + node.frames;
    }
    EXPECT_EQ(sum, tree.total(FlameTree::kRoot));
    EXPECT_EQ(frames, tree.size());
  }
}

}  // namespace
}  // namespace aiflame::svg
