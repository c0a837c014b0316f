// SPDX-License-Identifier: MIT
#include "libcommon/statistics/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "libcommon/statistics/quantile.h"

namespace aiflame {
namespace {

// Values from printed tables.
TEST(Quantile, Normal) {
  EXPECT_NEAR(normal_quantile(0.95), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.99), 2.575829, 1e-6);
  EXPECT_NEAR(normal_quantile(0.5), 0.674490, 1e-6);
  EXPECT_EQ(normal_quantile(0), 0);
}

TEST(Quantile, Student) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706205, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.302653, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.776445, 1e-6);
  EXPECT_NEAR(student_quantile(0.99, 10), 3.169273, 1e-6);
  EXPECT_NEAR(student_quantile(0.9, 30), 1.697261, 1e-6);
  EXPECT_NEAR(student_quantile(0.999, 1), 636.619, 1e-2);
  EXPECT_NEAR(student_quantile(0.95, 1e7), 1.959964, 1e-5);
}

Measured measured(std::vector<double> runs, double sample = 1) {
  return {std::move(runs), sample};
}

TEST(Comparison, WelchAsWorkedByHand) {
  // means 20 and 30, variances 4 and 16 of n = 4: standard error sqrt(1 + 4) = 2.236,
  // degrees 25 / (1 / 5 + 16 / 5) - 2 = 5.35, rounded down to 5.25: t = 2.534. Scaled by 1000,
  // counting does not matter.
  const double s = 1000, a = std::sqrt(3.0);
  const Change change = Comparison(0.95).compare(
      measured({s * (20 - a), s * (20 - a), s * (20 + a), s * (20 + a)}),
      measured({s * (30 - 2 * a), s * (30 - 2 * a), s * (30 + 2 * a), s * (30 + 2 * a)}));
  EXPECT_NEAR(change.change(), 10 * s, 1e-6);
  EXPECT_NEAR(change.low, s * (10 - 2.534 * std::sqrt(5.0)), 2);
  EXPECT_NEAR(change.high, s * (10 + 2.534 * std::sqrt(5.0)), 2);
  EXPECT_TRUE(change.beyond_noise());
}

TEST(Comparison, RunsThatAgreeByChanceStillHaveTheNoiseOfCounting) {
  const Comparison comparison(0.95);
  EXPECT_FALSE(comparison.compare(measured({100, 100}), measured({110, 110})).beyond_noise());
  EXPECT_FALSE(comparison.compare(measured({0, 0, 0}), measured({0, 0, 1})).beyond_noise());
  EXPECT_TRUE(comparison.compare(measured({0, 0, 0}), measured({5, 5, 5})).beyond_noise());
}

TEST(Comparison, OneRunIsPoisson) {
  const Comparison comparison(0.95);
  // the exact limits of 10 are 4.795 and 18.39, of 0 they are 0 and 3.689; Byar's are close
  const Change change = comparison.compare(measured({0}), measured({10}));
  EXPECT_NEAR(change.low, 10 - std::hypot(10 - 4.795, 3.689), 0.1);
  EXPECT_NEAR(change.high, 18.39, 0.1);
  // an exact binomial test gives p = 0.125 for 4 to 0, and 0.031 for 6 to 0
  EXPECT_FALSE(comparison.compare(measured({0}), measured({4})).beyond_noise());
  EXPECT_TRUE(comparison.compare(measured({0}), measured({6})).beyond_noise());
  EXPECT_FALSE(comparison.compare(measured({1000}), measured({1080})).beyond_noise());
  EXPECT_TRUE(comparison.compare(measured({1000}), measured({1100})).beyond_noise());
}

TEST(Comparison, WhatASampleAddsScalesTheInterval) {
  const Comparison comparison(0.95);
  const Change one = comparison.compare(measured({10}), measured({20}));
  const Change scaled = comparison.compare(measured({10e6}, 1e6), measured({20e6}, 1e6));
  EXPECT_NEAR(scaled.low, one.low * 1e6, 1);
  EXPECT_NEAR(scaled.high, one.high * 1e6, 1);
}

TEST(Comparison, OneSideMayHaveMoreRuns) {
  const Change change = Comparison(0.95).compare(measured({100}), measured({149, 150, 151}));
  EXPECT_TRUE(change.beyond_noise());
  EXPECT_LT(change.low, 50);
  EXPECT_GT(change.high, 50);
}

// One run of today against many of the days before: it varies as they do.
TEST(Comparison, ASingleRunVariesAsTheRunsOfTheOtherSideDo) {
  const Comparison comparison(0.95);
  const std::vector<double> runs = {9000, 9500, 10000, 10500, 11000};
  EXPECT_FALSE(comparison.compare(measured(runs), measured({11500})).beyond_noise());
  EXPECT_TRUE(comparison.compare(measured(runs), measured({13000})).beyond_noise());
  EXPECT_TRUE(comparison.compare(measured({11500}), measured({10000})).beyond_noise());
}

TEST(Comparison, SlicesWidenTheIntervalOfSingleRuns) {
  const Comparison comparison(0.95);
  Measured before = measured({10000}), after = measured({10500});
  const Change counting = comparison.compare(before, after);
  EXPECT_TRUE(counting.beyond_noise());
  before.slices = after.slices = {90000, 40};
  const Change sliced = comparison.compare(before, after);
  // t of 80 degrees is 1.990
  EXPECT_NEAR(sliced.low, 500 - 1.990 * std::sqrt(180000), 1);
  EXPECT_NEAR(sliced.high, 500 + 1.990 * std::sqrt(180000), 1);
  // of one side alone they say nothing about the other
  after.slices = {};
  EXPECT_EQ(comparison.compare(before, after).low, counting.low);
  // and counting remains the least
  before.slices = after.slices = {1, 40};
  EXPECT_EQ(comparison.compare(before, after).low, counting.low);
}

TEST(Comparison, WithoutConfidenceIntervalsArePoints) {
  const Comparison comparison(0);
  for (const Change& change : {comparison.compare(measured({7}), measured({8})),
                               comparison.compare(measured({7, 9}), measured({8, 30})),
                               comparison.compare(measured({0}), measured({8, 30}))}) {
    EXPECT_EQ(change.low, change.change());
    EXPECT_EQ(change.high, change.change());
    EXPECT_TRUE(change.beyond_noise());
  }
}

// Compares counts of the same rate thousands of times: at most about one in twenty is reported as a
// change.
TEST(Comparison, FalseAlarmsAreAsRareAsPromised) {
  std::mt19937 random(1);
  const Comparison comparison(0.95);
  for (const double rate : {0.5, 3.0, 40.0, 5000.0}) {
    std::poisson_distribution<int> counts(rate);
    const auto draw = [&](size_t runs) {
      Measured out;
      for (size_t i = 0; i < runs; ++i) out.runs.push_back(counts(random));
      return out;
    };
    for (const auto& [before, after] : {std::pair<size_t, size_t>{1, 1}, {3, 3}, {1, 5}, {2, 4}}) {
      int alarms = 0;
      for (int i = 0; i < 4000; ++i)
        alarms += comparison.compare(draw(before), draw(after)).beyond_noise() ? 1 : 0;
      EXPECT_LT(alarms, 4000 * 0.065) << rate << " " << before << " " << after;
    }
  }
}

// A real change is found.
TEST(Comparison, FindsWhatChanged) {
  std::mt19937 random(2);
  std::poisson_distribution<int> before(1000), after(1200);
  const Comparison comparison(0.95);
  int found = 0;
  for (int i = 0; i < 1000; ++i)
    found +=
        Comparison(0.95)
                .compare(
                    measured(
                        {double(before(random)), double(before(random)), double(before(random))}),
                    measured({double(after(random)), double(after(random)), double(after(random))}))
                .beyond_noise()
            ? 1
            : 0;
  EXPECT_GT(found, 950);
}

}  // namespace
}  // namespace aiflame
