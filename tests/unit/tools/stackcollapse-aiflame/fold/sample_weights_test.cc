// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/sample_weights.h"

#include <gtest/gtest.h>

namespace aiflame::collapse {
namespace {

TEST(SampleWeights, HaveACommonPeriodWhereAllAreTheSame) {
  SampleWeights weights;
  EXPECT_EQ(weights.common(), 0U);
  EXPECT_FALSE(weights.has_periods());
  weights.add(7);
  weights.add(7);
  EXPECT_EQ(weights.common(), 7U);
  SampleWeights part;
  weights.absorb(part);
  EXPECT_EQ(weights.common(), 7U);
  part.add(8);
  weights.absorb(part);
  EXPECT_EQ(weights.common(), 0U);
}

TEST(SampleWeights, SamplesWithoutAPeriodHaveNone) {
  SampleWeights weights;
  weights.add_plain();
  EXPECT_TRUE(weights.has_plain());
  EXPECT_FALSE(weights.has_periods());
  weights.add(7);
  EXPECT_TRUE(weights.has_periods());
  EXPECT_EQ(weights.common(), 0U);
}

}  // namespace
}  // namespace aiflame::collapse
