// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/scaling.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace aiflame::diff {
namespace {

std::vector<uint64_t> scaled(const std::vector<uint64_t>& counts, uint64_t target) {
  Scaling scaling(std::accumulate(counts.begin(), counts.end(), uint64_t{0}), target);
  std::vector<uint64_t> out;
  if (scaling.changes()) {
    for (const uint64_t count : counts) out.push_back(scaling.remainder(count));
    scaling.choose(out);
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    out.resize(counts.size());
    out[i] = scaling.scaled(i, counts[i]);
  }
  return out;
}

TEST(Scaling, WhatIsMissingGoesToTheFirstOfEqualRemainders) {
  EXPECT_EQ(scaled({1, 1, 1}, 100), (std::vector<uint64_t>{34, 33, 33}));
  EXPECT_EQ(scaled({1, 1, 1}, 101), (std::vector<uint64_t>{34, 34, 33}));
}

TEST(Scaling, WhatIsMissingGoesToTheLargestRemainders) {
  // 0.5, 1.4, 2.1
  EXPECT_EQ(scaled({5, 14, 21}, 4), (std::vector<uint64_t>{1, 1, 2}));
}

TEST(Scaling, TheSameTotalChangesNothing) {
  EXPECT_EQ(scaled({5, 0, 7}, 12), (std::vector<uint64_t>{5, 0, 7}));
  EXPECT_EQ(scaled({0, 0}, 0), (std::vector<uint64_t>{0, 0}));
}

TEST(Scaling, TheSumIsExactForAnyCounts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<uint64_t> counts;
    for (int i = 0; i < 20; ++i) counts.push_back(random() >> (6 + random() % 58));
    if (std::accumulate(counts.begin(), counts.end(), uint64_t{0}) == 0) continue;
    const uint64_t target = random() >> (random() % 60);
    const std::vector<uint64_t> out = scaled(counts, target);
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), uint64_t{0}), target);
  }
}

TEST(Proportion, RoundsAndRefusesWhatDoesNotFit) {
  uint64_t out = 0;
  EXPECT_TRUE(proportion(10, 1, 4, 1, out));
  EXPECT_EQ(out, 3U);  // 2.5
  EXPECT_TRUE(proportion(10, 1, 3, 1, out));
  EXPECT_EQ(out, 3U);
  EXPECT_TRUE(proportion(UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, out));
  EXPECT_EQ(out, UINT64_MAX);
  EXPECT_TRUE(proportion(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, out));
  EXPECT_EQ(out, 1U);
  EXPECT_FALSE(proportion(UINT64_MAX, 2, 1, 1, out));
}

}  // namespace
}  // namespace aiflame::diff
