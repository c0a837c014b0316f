// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/cost.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "tools/aiflame-cost/counted_cost.h"

namespace aiflame::cost {
namespace {

Given number(double value) {
  return {value, ""};
}

// The use case "eShoppen" of the SCI guide (Green Software Foundation, sci-guide,
// use-case-submissions/msft-eShoppen.md), the database server: 0.048 kWh in one hour, 951
// gCO2e/kWh, 1433.12 kgCO2e over 35 040 hours, 2 of 16 virtual processors. It gives M = 5.112 g and
// SCI = 50.76 g for the hour. (Of its web server it prints M = 4.305 g, where its own figures,
// 1205.52 kg / 35 040 * 2 / 16, are 4.3005 g; so that one is not used.)
TEST(Cost, IsThatOfTheGuidesExample) {
  Assumptions given;
  given.power = number(48);
  given.pue = number(1);
  given.grid = number(951);
  given.embodied = number(1433.12);
  given.lifetime = number(4);
  given.embodied_share = number(2.0 / 16);
  const Cost cost = cost_of(3600, given);
  EXPECT_NEAR(cost.joules->total() / 3.6e6, 0.048, 1e-9);
  EXPECT_NEAR(cost.embodied->total(), 5.112, 0.0005);
  EXPECT_NEAR(cost.carbon()->total(), 50.76, 0.005);
}

// The figures in the tests of the Foundation's Impact Framework (export-csv-raw): 1533.12 g over
// 94 608 000 s, that is 3 years; 1 of 8 resources for 1 s; 5 kWh at 800 gCO2e/kWh.
TEST(Cost, IsThatOfTheImpactFramework) {
  Assumptions given;
  given.joules = number(5 * 3.6e6);
  given.pue = number(1);
  given.grid = number(800);
  given.embodied = number(1.53312);
  given.lifetime = number(3);
  given.embodied_share = number(1.0 / 8);
  const Cost cost = cost_of(1, given);
  EXPECT_NEAR(cost.operational->total(), 4000, 1e-9);
  EXPECT_NEAR(cost.embodied->total(), 0.0000020256215119228817, 1e-18);
  EXPECT_NEAR(cost.carbon()->total(), 4000.0000020256216, 1e-9);
}

TEST(Cost, CountsIdleTimeApart) {
  Assumptions given;
  given.power = number(300);
  given.idle_power = number(60);
  given.reserved = number(100);
  given.pue = number(1.5);
  given.price = Price{number(3.6), "USD", false};
  const Cost cost = cost_of(40, given);
  EXPECT_DOUBLE_EQ(cost.seconds.idle, 60);
  EXPECT_DOUBLE_EQ(cost.joules->stacks, 40 * 300 * 1.5);
  EXPECT_DOUBLE_EQ(cost.joules->idle, 60 * 60 * 1.5);
  EXPECT_DOUBLE_EQ(cost.money->stacks, 0.04);
  EXPECT_DOUBLE_EQ(cost.money->idle, 0.06);
  EXPECT_FALSE(cost.carbon());
  EXPECT_THROW(cost_of(101, given), Error);
}

TEST(Cost, OfMeasuredEnergyIsThatEnergy) {
  Assumptions given;
  given.joules = number(5000);
  given.pue = number(1);
  EXPECT_DOUBLE_EQ(cost_of(40, given).joules->stacks, 5000);
  given.reserved = number(100);
  given.idle_power = number(60);
  const Cost cost = cost_of(40, given);
  EXPECT_DOUBLE_EQ(cost.joules->stacks, 1400);
  EXPECT_DOUBLE_EQ(cost.joules->idle, 3600);
  given.idle_power = number(100);
  EXPECT_THROW(cost_of(40, given), Error);
}

TEST(Cost, ThatFits64BitsIsCounted) {
  Cost cost;
  cost.joules = Parts{1.5e9, 0};
  EXPECT_EQ(counted(cost, Shown::joules, "").stacks, 1'500'000'000'000'000'000U);
  EXPECT_EQ(counted(cost, Shown::kilowatt_hours, "").unit, "nWh");
  cost.joules = Parts{1.5e10, 0};
  EXPECT_THROW(counted(cost, Shown::joules, ""), Error);
  EXPECT_NO_THROW(counted(cost, Shown::kilowatt_hours, ""));
}

}  // namespace
}  // namespace aiflame::cost
