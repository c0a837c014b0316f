// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/memory_sizes.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

TEST(MemorySizes, EachDeviceHasALine) {
  MemorySizes sizes;
  EXPECT_EQ(sizes.take(0, 17179869184), "memory 0 : 17179869184 bytes");
  EXPECT_EQ(sizes.take(1, 1024), "memory 1 : 1024 bytes");
  EXPECT_EQ(sizes.take(0, 17179869184), "");
}

// Two devices have one number, so that the size of neither is told.
TEST(MemorySizes, DifferentSizesAreNone) {
  MemorySizes sizes;
  (void)sizes.take(0, 1);
  EXPECT_EQ(sizes.take(0, 2), "memory 0 : ?");
  EXPECT_EQ(sizes.take(0, 2), "");
  EXPECT_EQ(sizes.take(0, 1), "");
}

TEST(MemorySizes, AHostileAgentHasNoEndOfDevices) {
  MemorySizes sizes;
  size_t lines = 0;
  for (uint32_t device = 0; device < 100000; ++device) lines += !sizes.take(device, 1).empty();
  EXPECT_EQ(lines, AgentDevices::kMost);
}

}  // namespace
}  // namespace aiflame::record
