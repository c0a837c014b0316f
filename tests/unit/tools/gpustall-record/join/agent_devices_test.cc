// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/agent_devices.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

using Found = std::vector<uint32_t>;

// Two tiles of one card, and another card.
AgentDevices three_devices() {
  AgentDevices out;
  out.set_place(0, "0000:3a:00.0 tile 0");
  out.set_place(1, "0000:3a:00.0 tile 1");
  out.set_place(2, "0000:3b:00.0 tile 0");
  return out;
}

TEST(AgentDevices, ACardStandsForAllItsTiles) {
  AgentDevices devices = three_devices();
  devices.set_number(7, 1, "0000:3a:00.0 tile 1", false);
  devices.set_number(7, 2, "0000:3a:00.0", false);
  devices.set_number(7, 3, "0000:3", false);
  EXPECT_EQ(devices.find(7, 1), Found{1});
  EXPECT_EQ(devices.find(7, 2), (Found{0, 1}));
  EXPECT_EQ(devices.find(7, 3), Found{5});
}

TEST(AgentDevices, ADeviceWithoutAPlaceStandsForAll) {
  AgentDevices devices = three_devices();
  devices.set_number(7, 1, "", false);
  EXPECT_EQ(devices.find(7, 1), (Found{0, 1, 2}));
}

TEST(AgentDevices, OtherPlacesAreNumberedAfterTheSourcesDevices) {
  AgentDevices devices = three_devices();
  devices.set_number(7, 1, "0000:99:00.0", false);
  devices.set_number(7, 2, "0000:9a:00.0", false);
  EXPECT_EQ(devices.find(7, 1), Found{3});
  EXPECT_EQ(devices.find(7, 2), Found{4});
  EXPECT_EQ(devices.place(3), nullptr);
}

TEST(AgentDevices, AnUnknownNumberMeansTheFirstDevice) {
  AgentDevices devices = three_devices();
  devices.set_number(7, 2, "0000:3b:00.0 tile 0", false);
  devices.set_number(7, AgentDevices::kMost + 1, "0000:3b:00.0 tile 0", false);
  EXPECT_EQ(devices.find(7, 0), Found{0});
  EXPECT_EQ(devices.find(8, 2), Found{0});
  EXPECT_EQ(devices.find(7, AgentDevices::kMost + 1), Found{0});
  EXPECT_EQ(devices.find(7, 2), Found{2});
  devices.forget(7);
  EXPECT_EQ(devices.find(7, 2), Found{0});
}

TEST(AgentDevices, ASourceThatSeesNoPlacesLearnsThem) {
  AgentDevices devices;
  devices.set_place(0, "");
  devices.set_place(1, "");
  devices.set_number(7, 1, "0000:3b:00.0", true);
  devices.set_number(8, 1, "0000:3c:00.0", true);
  devices.set_number(8, 2, "0000:3b:00.0", true);
  EXPECT_EQ(devices.find(7, 1), Found{0});
  EXPECT_EQ(devices.find(8, 1), Found{1});
  EXPECT_EQ(devices.find(8, 2), Found{0});
  EXPECT_EQ(*devices.place(1), "0000:3c:00.0");
}

}  // namespace
}  // namespace aiflame::record
