// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/frame_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace aiflame::diff {
namespace {

using Row = std::pair<std::string, Columns>;

// Each frame's sums, by adding each row to all frames of its stack.
FrameSums::Sums plainly(const std::vector<Row>& rows) {
  FrameSums::Sums out;
  for (const auto& [stack, columns] : rows)
    for (size_t end = 1; end <= stack.size(); ++end) {
      if (end < stack.size() && stack[end] != ';') continue;
      Columns& sums = out.try_emplace(stack.substr(0, end), columns.size()).first->second;
      for (size_t i = 0; i < columns.size(); ++i) sums[i] += columns[i];
    }
  return out;
}

// In pieces that end before the rows of these numbers.
FrameSums::Sums summed(const std::vector<Row>& rows, const std::vector<size_t>& cuts,
                       const Columns& least) {
  FrameSums::Sums out;
  size_t at = 0;
  for (size_t piece = 0; piece <= cuts.size(); ++piece) {
    FrameSums sums(least);
    const size_t end = piece < cuts.size() ? cuts[piece] : rows.size();
    for (; at < end; ++at) sums.add(rows[at].first, rows[at].second);
    FrameSums::join(out, sums.take());
  }
  return out;
}

TEST(FrameSums, StacksOfOneFrameNeedNotFollowEachOther) {
  const std::vector<Row> rows{{"a", {1}}, {"a.x", {2}}, {"a.x;c", {4}}, {"a;b", {8}}};
  const FrameSums::Sums sums = summed(rows, {}, {1});
  EXPECT_EQ(sums, (FrameSums::Sums{{"a", {9}}, {"a.x", {6}}, {"a.x;c", {4}}, {"a;b", {8}}}));
}

TEST(FrameSums, NarrowFramesAreLeftOut) {
  const std::vector<Row> rows{
      {"a;b", {1, 9}}, {"a;c", {5, 9}}, {"b", {1, 9}}, {"c", {1, 9}}, {"d", {9, 0}}};
  FrameSums sums({5, 0});
  for (const auto& [stack, columns] : rows) sums.add(stack, columns);
  FrameSums::Sums kept = sums.take();
  // the first and the last of a piece may be parts of wider ones
  std::erase_if(kept, [&](const auto& one) { return !sums.is_wide(one.second); });
  EXPECT_EQ(kept, (FrameSums::Sums{{"a", {6, 18}}, {"a;c", {5, 9}}, {"d", {9, 0}}}));
  EXPECT_FALSE(sums.is_wide(Columns{4, 9}));
}

TEST(FrameSums, EqualThoseOfAddingEachRowToItsFrames) {
  std::mt19937 random(7);
  const char* const names[] = {"a", "a.", "b", "ab", "a b", "", "-"};
  for (int round = 0; round < 300; ++round) {
    std::map<std::string, Columns> rows;
    for (int i = 0; i < 40; ++i) {
      std::string stack = "r";
      for (auto depth = random() % 6; depth > 0; --depth)
        stack += std::string(";") + names[random() % std::size(names)];
      rows[stack] = {random() % 100, random() % 100};
    }
    const std::vector<Row> in_order(rows.begin(), rows.end());
    std::vector<size_t> cuts;
    for (auto i = random() % 4; i > 0; --i) cuts.push_back(random() % in_order.size());
    std::sort(cuts.begin(), cuts.end());
    const Columns least{random() % 80 + 1, 0};
    FrameSums::Sums expected = plainly(in_order), got = summed(in_order, cuts, least);
    const FrameSums width(least);
    const auto is_narrow = [&](const auto& one) { return !width.is_wide(one.second); };
    std::erase_if(expected, is_narrow);
    std::erase_if(got, is_narrow);
    ASSERT_EQ(got, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace aiflame::diff
