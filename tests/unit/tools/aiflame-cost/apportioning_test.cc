// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/apportioning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace aiflame::cost {
namespace {

TEST(Apportioning, SharesAddUpAndAreLessThanOneOff) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> times(1 + random() % 200);
    uint64_t whole = 0;
    for (uint64_t& time : times) whole += time = random() % 1000;
    if (whole == 0) continue;
    const uint64_t amount = random() % (round % 2 == 0 ? 100 : 1'000'000'000'000);
    Apportioning share(amount, whole);
    uint64_t sum = 0;
    for (const uint64_t time : times) {
      const uint64_t one = share.next(time);
      const double exact =
          static_cast<double>(amount) * static_cast<double>(time) / static_cast<double>(whole);
      ASSERT_LT(std::fabs(static_cast<double>(one) - exact), 1.0001);
      sum += one;
    }
    ASSERT_EQ(sum, amount);
  }
}

TEST(Apportioning, TakesTheLargestNumbers) {
  Apportioning share(UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(share.next(UINT64_MAX - 1), UINT64_MAX - 1);
  EXPECT_EQ(share.next(1), 1U);
}

}  // namespace
}  // namespace aiflame::cost
