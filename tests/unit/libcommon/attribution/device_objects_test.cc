// SPDX-License-Identifier: MIT
#include "libcommon/attribution/device_objects.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

std::string at(const DeviceObjects& objects, uint64_t address, int64_t pid = 1,
               uint64_t device = 0) {
  const auto place = objects.find(device, pid, address);
  return place ? *place->path + "@" + std::to_string(place->file_offset) : "";
}

TEST(DeviceObjects, AddressesBecomeFileOffsets) {
  DeviceObjects objects;
  objects.map(0, 1, 1000, 100, 64, "/a");
  EXPECT_EQ(at(objects, 1000), "/a@64");
  EXPECT_EQ(at(objects, 1099), "/a@163");
  EXPECT_EQ(at(objects, 1100), "");
  EXPECT_EQ(at(objects, 999), "");
  EXPECT_EQ(at(objects, 1000, 2), "");
  EXPECT_EQ(at(objects, 1000, 1, 1), "");
}

TEST(DeviceObjects, ANewMappingReplacesWhatItOverlaps) {
  DeviceObjects objects;
  objects.map(0, 1, 1000, 100, 0, "/old");
  objects.map(0, 1, 1040, 20, 0, "/new");
  EXPECT_EQ(at(objects, 1039), "/old@39");
  EXPECT_EQ(at(objects, 1040), "/new@0");
  EXPECT_EQ(at(objects, 1060), "/old@60");
  objects.map(0, 1, 900, 300, 0, "/all");
  EXPECT_EQ(at(objects, 1050), "/all@150");
  objects.map(0, 1, 1000, 10, 7, "/a");
  objects.map(0, 1, 1010, 10, 9, "/b");
  objects.unmap(0, 1, 1005, 10);
  EXPECT_EQ(at(objects, 1004), "/a@11");
  EXPECT_EQ(at(objects, 1005), "");
  EXPECT_EQ(at(objects, 1014), "");
  EXPECT_EQ(at(objects, 1015), "/b@14");
  EXPECT_EQ(at(objects, 1199), "/all@299");
}

TEST(DeviceObjects, ProcessZeroIsTheDevices) {
  DeviceObjects objects;
  objects.map(0, 0, 1000, 100, 0, "/device");
  EXPECT_EQ(at(objects, 1000, 5), "/device@0");
  objects.map(0, 5, 1000, 100, 0, "/mine");
  EXPECT_EQ(at(objects, 1000, 5), "/mine@0");
}

TEST(DeviceObjects, AnUnknownProcessFindsWhatOnlyOneCanMean) {
  DeviceObjects objects;
  objects.map(0, 5, 1000, 100, 0, "/a");
  EXPECT_EQ(at(objects, 1000, 0), "/a@0");
  objects.map(0, 6, 1000, 100, 0, "/a");
  EXPECT_EQ(at(objects, 1000, 0), "/a@0");
  objects.map(0, 7, 1000, 100, 0, "/b");
  EXPECT_EQ(at(objects, 1000, 0), "");
}

TEST(DeviceObjects, TheEndOfTheAddressSpace) {
  DeviceObjects objects;
  objects.map(0, 1, UINT64_MAX - 10, 10, 0, "/top");
  EXPECT_EQ(at(objects, UINT64_MAX - 1), "/top@9");
  EXPECT_EQ(at(objects, UINT64_MAX), "");
  objects.unmap(0, 1, 0, UINT64_MAX);
  EXPECT_EQ(at(objects, UINT64_MAX - 1), "");
}

}  // namespace
}  // namespace aiflame
