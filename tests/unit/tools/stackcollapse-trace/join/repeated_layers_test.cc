// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/repeated_layers.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

// `count` times the kernels 1, 2, …, `period`.
std::vector<uint32_t> layers(size_t period, size_t count) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < period * count; ++i) out.push_back(static_cast<uint32_t>(i % period + 1));
  return out;
}

TEST(RepeatedLayers, AreFoundBetweenOtherKernels) {
  std::vector<uint32_t> names = layers(5, 6);
  names.insert(names.begin(), {90, 91});
  names.insert(names.end(), {92});
  const RepeatedLayers found = find_repeated_layers(names);
  EXPECT_EQ(found.begin, 2u);
  EXPECT_EQ(found.period, 5u);
  EXPECT_EQ(found.count, 6u);
  EXPECT_EQ(found.layer_of(1), found.count);
  EXPECT_EQ(found.layer_of(2), 0u);
  EXPECT_EQ(found.layer_of(6), 0u);
  EXPECT_EQ(found.layer_of(7), 1u);
  EXPECT_EQ(found.layer_of(31), 5u);
  EXPECT_EQ(found.layer_of(32), found.count);
}

TEST(RepeatedLayers, APartOfALayerAtTheEndIsNone) {
  std::vector<uint32_t> names = layers(5, 6);
  names.resize(28);
  const RepeatedLayers found = find_repeated_layers(names);
  EXPECT_EQ(found.count, 5u);
  EXPECT_EQ(found.layer_of(25), found.count);
}

TEST(RepeatedLayers, ShortOrRareRepetitionsAreNone) {
  EXPECT_EQ(find_repeated_layers({}).count, 0u);
  EXPECT_EQ(find_repeated_layers(layers(3, 3)).count, 0u);
  EXPECT_EQ(find_repeated_layers(layers(8, 3)).count, 0u);
  // four of five kernels, which repeat in less than half of the sequence
  std::vector<uint32_t> names = layers(5, 4);
  for (uint32_t i = 0; i < 20; ++i) names.push_back(100 + i);
  EXPECT_EQ(find_repeated_layers(names).count, 0u);
  EXPECT_EQ(find_repeated_layers(layers(200, 1)).count, 0u);
}

TEST(RepeatedLayers, OneKernelAgainAndAgainIsNone) {
  EXPECT_EQ(find_repeated_layers(std::vector<uint32_t>(40, 7)).count, 0u);
}

TEST(RepeatedLayers, LayersOfTwoKindsAreOne) {
  std::vector<uint32_t> names;
  for (int i = 0; i < 8; ++i)
    for (const uint32_t name : {1U, 2U, 3U, i % 2 == 0 ? 4U : 5U, 6U}) names.push_back(name);
  EXPECT_EQ(find_repeated_layers(names).period, 10u);
  EXPECT_EQ(find_repeated_layers(names).count, 4u);
}

TEST(RepeatedLayers, TooManyKernelsAreNotSearched) {
  EXPECT_EQ(find_repeated_layers(layers(8, kMostKernels / 8)).count, kMostKernels / 8);
  EXPECT_EQ(find_repeated_layers(layers(8, kMostKernels / 8 + 1)).count, 0u);
}

}  // namespace
}  // namespace aiflame::trace
