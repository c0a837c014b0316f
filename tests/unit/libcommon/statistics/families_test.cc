// SPDX-License-Identifier: MIT
#include "libcommon/statistics/families.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame {
namespace {

Difference single(double before, double after) {
  return difference({{before}}, {{after}});
}

size_t found(const ComparisonFamily& family, size_t size) {
  size_t out = 0;
  for (size_t i = 0; i < size; ++i) out += family.change(i).beyond_noise() ? 1 : 0;
  return out;
}

TEST(ComparisonFamily, OneComparisonIsThatOfTheInterval) {
  for (double after = 1000; after < 1200; after += 3) {
    ComparisonFamily family(0.05);
    family.add(single(1000, after));
    family.decide();
    const Change change = family.change(0), alone = Comparison(0.95).compare({{1000}}, {{after}});
    EXPECT_NEAR(change.low, alone.low, 1e-6);
    EXPECT_NEAR(change.high, alone.high, 1e-6);
  }
}

// p-values and intervals are two sides of one thing.
TEST(ComparisonFamily, AChangeIsBeyondNoiseIfItsPValueIsSmall) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> counts(0, 60);
  for (int i = 0; i < 3000; ++i) {
    Measured sides[2];
    for (Measured& side : sides) {
      const size_t runs = 1 + random() % 4;
      for (size_t run = 0; run < runs; ++run) side.runs.push_back(counts(random));
    }
    const Difference one = difference(sides[0], sides[1]);
    for (const double level : {0.5, 0.05, 0.001})
      EXPECT_EQ(Comparison(1 - level).interval(one).beyond_noise(), p_value(one) < level) << level;
    EXPECT_LE(least_p_value(one), p_value(one));
  }
}

// Benjamini and Hochberg, as worked by hand: of ten, p of 0.001, 0.004, 0.012 and 0.03 are below or
// above 0.005, 0.010, 0.015 and 0.020.
TEST(ComparisonFamily, FindsTheLargestSetThatPasses) {
  const auto with_p = [](double p) {
    Difference out;
    out.samples = 1e6;
    out.before = 1e6;
    double low = 0, high = 1e6;
    for (int i = 0; i < 100; ++i) {
      out.after = out.before + (low + high) / 2;
      out.counting = 1e6;
      (p_value(out) > p ? low : high) = (low + high) / 2;
    }
    return out;
  };
  ComparisonFamily family(0.05);
  for (const double p : {0.5, 0.001, 0.9, 0.03, 0.2, 0.012, 0.3, 0.004, 0.7, 0.6})
    family.add(with_p(p));
  family.decide();
  EXPECT_EQ(family.tested(), 10U);
  EXPECT_EQ(found(family, 10), 3U);
  EXPECT_TRUE(family.change(1).beyond_noise());
  EXPECT_TRUE(family.change(5).beyond_noise());
  EXPECT_FALSE(family.change(3).beyond_noise());
}

TEST(ComparisonFamily, RareThingsDoNotHideOthers) {
  ComparisonFamily family(0.05);
  family.add(single(1000, 1150));
  for (int i = 0; i < 5000; ++i) family.add(single(1, i % 3));
  family.decide();
  EXPECT_EQ(family.tested(), 1U);
  EXPECT_TRUE(family.change(0).beyond_noise());
  EXPECT_EQ(found(family, 5001), 1U);
}

TEST(ComparisonFamily, AtAConfidenceOfZeroEveryChangeIsBeyondNoise) {
  ComparisonFamily family(1);
  family.add(single(5, 6));
  family.add(single(5, 5));
  family.decide();
  EXPECT_EQ(family.change(0).low, 1);
  EXPECT_EQ(family.change(0).high, 1);
  EXPECT_FALSE(family.change(1).beyond_noise());
}

TEST(ComparisonFamily, MayBeEmpty) {
  ComparisonFamily family(0.05);
  family.decide();
  EXPECT_EQ(family.tested(), 0U);
}

}  // namespace
}  // namespace aiflame
