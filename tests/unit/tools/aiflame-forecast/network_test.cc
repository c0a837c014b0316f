// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tools/aiflame-forecast/predictor.h"

namespace aiflame::forecast {
namespace {

Device one() {
  Device out;
  out.file = out.name = "one";
  out.units = 10;
  out.vector[static_cast<size_t>(DataType::fp32)] = 1e13;
  out.bandwidth = 1e12;
  return out;
}

Work product(double b, double m, double n, double k) {
  Work out;
  out.family = b > 1 ? Family::bmm : Family::linear;
  out.operations = 2 * b * m * n * k;
  out.bytes = 4 * b * (m * n + n * k + m * k);
  out.product = {b, m, n, k};
  return out;
}

TEST(Network, SeesTilesAndWaves) {
  // 2 x 3 tiles of 128 x 128, with 2 * 128 * 64 * 128 operations and 4 * (2 * 128 * 64 + 128^2)
  // bytes: 2097152 / 10^13 s over 131072 / 10^12 s
  const NetworkInputs inputs = network_inputs(product(5, 256, 64, 300), one());
  EXPECT_DOUBLE_EQ(inputs.intensity, std::log2(1.6));
  EXPECT_DOUBLE_EQ(inputs.waves, std::log2(3));  // 30 tiles on 10 units
  // small products have small tiles: 32 x 64
  const NetworkInputs small = network_inputs(product(1, 7, 64, 50), one());
  EXPECT_DOUBLE_EQ(small.intensity, std::log2((2.0 * 32 * 64 * 64 / 1e13) /
                                              (4.0 * (32 * 64 + 64 * 64 + 32 * 64) / 1e12)));
  EXPECT_EQ(small.waves, 0);
}

TEST(Network, IsAUtilisationThatTheLastWaveLowers) {
  Network network;
  network.gain = {0, 1, 0};
  network.loss = {0, 0, 0};
  network.intensity = {-1, 1};
  network.waves = {0, 8};
  EXPECT_DOUBLE_EQ(network.utilisation({0, 0}), 0.5 * (1 - 0.5));
  EXPECT_DOUBLE_EQ(network.utilisation({0, 3}), 0.5 * (1 - 0.5 / 8));
  // beyond what it was trained on, it says what it says of the edge
  EXPECT_EQ(network.utilisation({7, 3}), network.utilisation({1, 3}));
  EXPECT_FALSE(network.is_in_range({7, 3}));
  EXPECT_TRUE(network.is_in_range({1, 3}));
  // never nothing, however a product looks
  network.gain = {-100, 0, 0};
  EXPECT_EQ(network.utilisation({0, 0}), 0.01);
  EXPECT_GT(network.utilisation(network_inputs(product(1, 0, 0, 0), one())), 0);
}

TEST(Network, IsAskedOfDevicesThatItWasNotTrainedOn) {
  Network of_all, but_for_one;
  but_for_one.gain = {1, 0, 0};
  Networks networks;
  networks.add(Family::linear, "all", of_all);
  networks.add(Family::linear, "one", but_for_one);
  EXPECT_EQ(networks.find(Family::linear, "two")->gain[0], 0);
  EXPECT_EQ(networks.find(Family::linear, "one")->gain[0], 1);
  EXPECT_EQ(networks.find(Family::bmm, "one"), nullptr);

  Device device = one();
  Work work = product(1, 512, 512, 512);
  EXPECT_EQ(Predictor(device, Method::table, {}, networks).basis(work), Basis::network);
  EXPECT_EQ(Predictor(device, Method::others, {}, networks).basis(work), Basis::others);
  device.efficiency[static_cast<size_t>(Family::linear)] = 0.5;
  EXPECT_EQ(Predictor(device, Method::table, {}, networks).basis(work), Basis::device);
  EXPECT_EQ(Predictor(device, Method::network, {}, networks).basis(work), Basis::network);
  // it was trained on fp32
  work.type = DataType::fp16;
  EXPECT_EQ(Predictor(device, Method::network, {}, networks).basis(work), Basis::others);
}

}  // namespace
}  // namespace aiflame::forecast
