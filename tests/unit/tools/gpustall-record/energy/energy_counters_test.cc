// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/energy/energy_counters.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

TEST(EnergyCounters, StartAgainAtTheirRange) {
  EXPECT_EQ(counted_between(5, 9, 100), 4U);
  EXPECT_EQ(counted_between(5, 5, 0), 0U);
  EXPECT_EQ(counted_between(90, 20, 100), 30U);
  EXPECT_EQ(counted_between(UINT64_MAX - 1, 3, UINT64_MAX), 4U);
}

TEST(EnergyCounters, ThatWereSetBackAreNotKnown) {
  EXPECT_FALSE(counted_between(90, 20, 0));
  EXPECT_FALSE(counted_between(90, 20, 80));
}

}  // namespace
}  // namespace aiflame::record
