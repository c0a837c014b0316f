// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/predictor.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame::forecast {
namespace {

constexpr size_t kFp32 = static_cast<size_t>(DataType::fp32);
constexpr size_t kBf16 = static_cast<size_t>(DataType::bf16);
constexpr size_t kElem = static_cast<size_t>(Family::elem);

Device device(const char* name, double rate, double bandwidth) {
  Device out;
  out.name = name;
  out.vector[kFp32] = rate;
  out.bandwidth = bandwidth;
  return out;
}

Work work_of(Family family, double operations, double bytes) {
  Work out;
  out.family = family;
  out.operations = operations;
  out.bytes = bytes;
  return out;
}

TEST(Predictor, TheRooflineIsTheSlowerOfBoth) {
  const Device one = device("one", 1e12, 1e9);
  EXPECT_DOUBLE_EQ(roofline_seconds(work_of(Family::elem, 1e12, 1e6), one), 1);
  EXPECT_DOUBLE_EQ(roofline_seconds(work_of(Family::elem, 1, 1e9), one), 1);
  // the authors of NeuSight count 2^30 bytes for matrices and copies
  EXPECT_DOUBLE_EQ(roofline_seconds(work_of(Family::linear, 1, 1 << 30), one), 1);
  EXPECT_DOUBLE_EQ(roofline_seconds(work_of(Family::memory, 0, 1 << 30), one), 1);
}

TEST(Predictor, EfficienciesAreTheDevicesOwnOrTheMeanOfTheOthers) {
  std::vector<Device> devices = {device("a", 1e12, 1e9), device("b", 1e12, 1e9),
                                 device("c", 1e12, 1e9), device("d", 1e12, 1e9)};
  devices[0].efficiency[kElem] = 0.5;
  devices[1].efficiency[kElem] = 0.9;
  devices[2].efficiency[kElem] = 0.7;
  const Work work = work_of(Family::elem, 0, 1e9);
  EXPECT_DOUBLE_EQ(Predictor(devices[0], Method::table, devices).seconds(work), 1 / 0.5);
  EXPECT_DOUBLE_EQ(Predictor(devices[0], Method::others, devices).seconds(work), 1 / 0.8);
  EXPECT_DOUBLE_EQ(Predictor(devices[3], Method::table, devices).seconds(work), 1 / 0.7);
  EXPECT_EQ(Predictor(devices[3], Method::table, devices).basis(work), Basis::others);
  EXPECT_EQ(Predictor(devices[0], Method::table, devices).basis(work), Basis::device);
  EXPECT_EQ(Predictor(devices[0], Method::roofline, devices).basis(work), Basis::none);
  EXPECT_DOUBLE_EQ(Predictor(devices[0], Method::roofline, devices).seconds(work), 1);
}

TEST(Predictor, ARegressionNeedsItsLinesAndIsNeverNegative) {
  Device one = device("one", 1e12, 1e9);
  EXPECT_THROW(Predictor(one, Method::regression, {}), Error);
  one.regression.fill(Regression{1e-9, -1});
  const Predictor predictor(one, Method::regression, {});
  EXPECT_DOUBLE_EQ(predictor.seconds(work_of(Family::elem, 0, 3e9)), 2);
  EXPECT_DOUBLE_EQ(predictor.seconds(work_of(Family::linear, 3e9, 0)), 2);
  EXPECT_EQ(predictor.seconds(work_of(Family::elem, 0, 1)), 0);
}

TEST(Predictor, WaveScalingIsBetweenBothRatios) {
  const Device slow = device("slow", 1e12, 1e11), fast = device("fast", 8e12, 2e11);
  EXPECT_DOUBLE_EQ(wave_scaling(work_of(Family::elem, 0, 1e9), slow, fast), 0.5);
  EXPECT_NEAR(wave_scaling(work_of(Family::elem, 1e18, 1), slow, fast), 0.125, 1e-6);
  const double middle = wave_scaling(work_of(Family::elem, 40, 1), slow, fast);  // ridge
  EXPECT_NEAR(middle, 0.25, 1e-12);
}

TEST(Predictor, ATypeThatADeviceLacksIsComputedInAWiderOne) {
  Device one = device("one", 1e12, 1e9);
  EXPECT_EQ(one.rate(true, DataType::bf16), 1e12);
  one.matrix[kBf16] = 8e12;
  EXPECT_EQ(one.rate(true, DataType::bf16), 8e12);
  EXPECT_EQ(one.rate(false, DataType::bf16), 1e12);
  EXPECT_EQ(one.rate(true, DataType::fp8), 8e12);
  EXPECT_FALSE(one.has_type(DataType::fp8));
}

}  // namespace
}  // namespace aiflame::forecast
