// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/sides.h"

#include <gtest/gtest.h>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// 100 before, 150 after.
FlameTree example() {
  StackSorter sorter;
  sorter.add("a", 30, 20);
  sorter.add("a;b", 0, 50);
  sorter.add("a;b;c", 0, 10);
  sorter.add("d", 120, 20);
  sorter.add("e;f", 0, 0);
  return merged_tree(std::move(sorter));
}
uint32_t node(const FlameTree& tree, std::string_view name) {
  for (uint32_t i = 0; i < tree.size(); ++i)
    if (tree.name(i) == name) return i;
  return FlameTree::kRoot;
}

TEST(Sides, CountsAndPoints) {
  const FlameTree tree = example();
  const Sides all = sides_of(tree, node(tree, "a"), {}, 150, true);
  EXPECT_EQ(all.before, 80U);
  EXPECT_EQ(all.after, 30U);
  EXPECT_DOUBLE_EQ(all.points(), 20.0 - 80.0);
  EXPECT_DOUBLE_EQ(sides_of(tree, node(tree, "a"), {}, 150, false).points(), 0);
  EXPECT_DOUBLE_EQ(sides_of(tree, FlameTree::kRoot, {}, 150, true).points(), 0);
}

TEST(Sides, TotalIsOfBoth) {
  const FlameTree tree = example();
  EXPECT_DOUBLE_EQ(sides_of(tree, node(tree, "d"), {}, 1000, true).points(), 12.0 - 2.0);
}

TEST(Sides, NegateIsTheOrderOfTime) {
  const FlameTree tree = example();
  Drawing drawing;
  drawing.negate = true;
  const Sides sides = sides_of(tree, node(tree, "d"), drawing, 150, true);
  EXPECT_EQ(sides.before, 120U);
  EXPECT_EQ(sides.all_before, 150U);
  EXPECT_DOUBLE_EQ(sides.points(), 20.0 - 80.0);
}

// A frame counts with all on top of it, once.
TEST(Sides, WhatOnlyOneSideHas) {
  const FlameTree tree = example();
  Drawing drawing;
  OneSided only = one_sided(tree, drawing);
  EXPECT_EQ(only.before, 60U);
  EXPECT_EQ(only.after, 0U);
  drawing.negate = true;
  only = one_sided(tree, drawing);
  EXPECT_EQ(only.before, 0U);
  EXPECT_EQ(only.after, 60U);
}

}  // namespace
}  // namespace aiflame::svg
