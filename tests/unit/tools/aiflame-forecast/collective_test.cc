// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/collective.h"

#include <gtest/gtest.h>

namespace aiflame::forecast {
namespace {

constexpr double kBinary = 1e9 / (1 << 30);

Work collective(double bytes, bool reduces) {
  Work out;
  out.family = Family::collective;
  out.bytes = bytes;
  out.reduces = reduces;
  return out;
}

Device linked() {
  Device out;
  out.link = 1e11;  // 0.36 * 10^11 bytes a second in a direction
  return out;
}

TEST(Collective, WithinAServerIsByTheLink) {
  const Cluster server = {.devices = 4};
  EXPECT_DOUBLE_EQ(collective_seconds(collective(3.6e10, true), linked(), server), 3 * kBinary);
  EXPECT_DOUBLE_EQ(collective_seconds(collective(3.6e10, false), linked(), server), kBinary);
  EXPECT_EQ(collective_seconds(collective(3.6e10, true), linked(), {}), 0);
  EXPECT_EQ(collective_seconds(collective(3.6e10, true), Device(), server), 0);  // no link
}

TEST(Collective, ServersReduceInARing) {
  // 2 * (8 - 1) steps of 1 ms and 8e9 / 8 bytes at 10^10 a second, behind the server's own
  const Cluster servers = {.devices = 4, .nodes = 8, .bandwidth = 1e10, .latency = 1e-3};
  EXPECT_DOUBLE_EQ(collective_seconds(collective(8e9, true), linked(), servers),
                   3 * 8e9 / 3.6e10 * kBinary + 14 * (1e-3 + 0.1));
  // a device in each: no links
  const Cluster single = {.devices = 1, .nodes = 2, .bandwidth = 1e10, .latency = 0};
  EXPECT_DOUBLE_EQ(collective_seconds(collective(1e10, true), linked(), single), 2 * 0.5);
}

TEST(Collective, StagesSendOverTheNetworkWhereTheyAreInOtherServers) {
  // 8 stages in 2 servers: one border of seven is between them
  const Cluster cluster = {
      .devices = 4, .nodes = 2, .stages = 8, .bandwidth = 1e10, .latency = 1e-3};
  EXPECT_DOUBLE_EQ(collective_seconds(collective(3.6e10, false), linked(), cluster),
                   (1 * (1e-3 + 3.6) + 6 * kBinary) / 7);
  const Cluster spread = {
      .devices = 1, .nodes = 2, .stages = 2, .bandwidth = 1e10, .latency = 1e-3};
  EXPECT_DOUBLE_EQ(collective_seconds(collective(1e10, false), linked(), spread), 1.001);
}

}  // namespace
}  // namespace aiflame::forecast
