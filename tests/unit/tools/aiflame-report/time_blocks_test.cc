// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/time_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace aiflame::report {
namespace {

constexpr uint64_t kStart = 5012000000000, kSlice = 10000000;  // 10 ms

struct Recording {
  TimeBlocks blocks;
  TimeSeries thing, whole;
};

Recording run_of(const std::vector<uint64_t>& counts, const std::vector<size_t>& order) {
  Recording out;
  for (const size_t i : order) {
    if (counts[i] == 0) continue;
    out.blocks.begin(kStart + i * kSlice);
    out.blocks.add(out.thing, counts[i]);
    out.blocks.add(out.whole, 2 * counts[i]);
  }
  out.blocks.finish();
  return out;
}

std::vector<size_t> in_order(size_t count) {
  std::vector<size_t> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = i;
  return out;
}

Recording run_of(const std::vector<uint64_t>& counts) {
  return run_of(counts, in_order(counts.size()));
}

Spread spread(const Recording& run, double share = 0) {
  return run.blocks.spread(run.thing, run.whole, share);
}

TEST(TimeBlocks, OfIndependentSamplesTheSpreadIsPoissons) {
  std::mt19937 random(1);
  std::poisson_distribution<uint64_t> draw(20);
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<uint64_t> counts(1000);
    for (uint64_t& one : counts) one = draw(random);
    const Recording run = run_of(counts);
    EXPECT_GT(run.blocks.count(), 32U);
    EXPECT_LE(run.blocks.count(), 64U);
    EXPECT_GT(spread(run).degrees, 18);
    sum += spread(run).variance;
  }
  EXPECT_NEAR(sum / 200, 20 * 1000, 20 * 1000 * 0.1);
}

// Bursts of 15 slices: each counts as one thing that happened, of 15 * 40 samples.
TEST(TimeBlocks, BurstsSpreadMore) {
  std::mt19937 random(2);
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<uint64_t> counts(3000);
    for (size_t slice = 0; slice + 15 < counts.size();) {
      if (random() % 30 != 0) {
        ++slice;
        continue;
      }
      for (int end = 15; end > 0; --end) counts[slice++] = 40;
    }
    sum += std::sqrt(spread(run_of(counts)).variance);
  }
  // Each gap has mean 30 and deviation 30: of about 3000 / 45 bursts the number deviates by
  // sqrt(66) * 30 / 45. Bursts that lie across blocks hide some of it.
  const double expected = std::sqrt(3000 / 45.0) * 30 / 45 * 15 * 40;
  EXPECT_GT(sum / 200, 0.7 * expected);
  EXPECT_LT(sum / 200, 1.3 * expected);
}

TEST(TimeBlocks, PhasesOfTheProgramAreNoNoise) {
  std::vector<uint64_t> counts(1024, 10);
  for (size_t i = 512; i < 1024; ++i) counts[i] = 1000;
  const double total = 512 * 1010;
  // drawn from all blocks it would be 12 %
  EXPECT_LT(std::sqrt(spread(run_of(counts)).variance), 0.03 * total);
}

TEST(TimeBlocks, TheOrderOfSlicesDoesNotMatter) {
  std::mt19937 random(3);
  for (const size_t slices : {20U, 200U, 257U, 5000U}) {
    std::vector<uint64_t> counts(slices);
    for (uint64_t& one : counts) one = random() % 50;
    std::vector<size_t> order = in_order(slices);
    const double expected = spread(run_of(counts)).variance;
    EXPECT_GT(expected, 0);
    for (int i = 0; i < 5; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      EXPECT_EQ(spread(run_of(counts, order)).variance, expected);
    }
  }
}

TEST(TimeBlocks, SharesThatStayTheSameHaveNoSpread) {
  std::vector<uint64_t> counts(100);
  for (size_t i = 0; i < 100; ++i) counts[i] = 1 + i % 7;
  EXPECT_GT(spread(run_of(counts)).variance, 0);
  EXPECT_NEAR(spread(run_of(counts), 0.5).variance, 0, 1e-9);
}

TEST(TimeBlocks, FewSlicesSayNothing) {
  EXPECT_EQ(spread(run_of({})).degrees, 0);
  EXPECT_EQ(spread(run_of({5})).degrees, 0);
  EXPECT_EQ(spread(run_of({5, 6, 7, 8, 9, 8, 7, 6, 5})).degrees, 0);
  EXPECT_GT(spread(run_of({5, 6, 7, 8, 9, 8, 7, 6, 5, 5, 5})).degrees, 0);
}

// Five of them tell, and none is left out.
TEST(TimeBlocks, StepsAreWhole) {
  const auto of_steps = [](const std::vector<uint64_t>& counts) {
    Recording out;
    for (size_t i = 0; i < counts.size(); ++i) {
      out.blocks.begin_step(i + 3);
      out.blocks.add(out.thing, counts[i]);
    }
    out.blocks.finish();
    return out;
  };
  EXPECT_EQ(spread(of_steps({5, 6, 7, 8})).degrees, 0);
  // half the squared differences of neighbours are 8, 8, 8 and 8; five steps are summed
  EXPECT_DOUBLE_EQ(spread(of_steps({4, 8, 4, 8, 4})).variance, 8.0 * 5);
}

TEST(TimeBlocks, WhatIsInHalfOfTheBlocksFillsThem) {
  EXPECT_TRUE(run_of({1, 0, 1, 0, 1}).blocks.fills(run_of({1, 0, 1, 0, 1}).thing));
  Recording rare;
  for (uint64_t i = 0; i < 8; ++i) {
    rare.blocks.begin(kStart + i * kSlice);
    rare.blocks.add(rare.whole, 1);
    if (i == 3) rare.blocks.add(rare.thing, 7);
  }
  rare.blocks.finish();
  EXPECT_TRUE(rare.blocks.fills(rare.whole));
  EXPECT_FALSE(rare.blocks.fills(rare.thing));
}

// A time of the next year must not take memory for all blocks between.
TEST(TimeBlocks, FarTimesAreJoined) {
  Recording run;
  for (const uint64_t start : {uint64_t{0}, uint64_t{1}, uint64_t{18446744072000000000U}}) {
    run.blocks.begin(start);
    run.blocks.add(run.thing, 3);
  }
  run.blocks.finish();
  EXPECT_LE(run.blocks.count(), 64U);
  EXPECT_GE(spread(run).variance, 0);
}

}  // namespace
}  // namespace aiflame::report
