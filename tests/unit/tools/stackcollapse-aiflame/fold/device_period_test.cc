// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/device_period.h"

#include <gtest/gtest.h>

namespace aiflame::collapse {
namespace {

TEST(DevicePeriod, IsTheEndOfADevicesDescription) {
  EXPECT_EQ(parse_device_period("opencl-cpu, AMD EPYC, cpu, period 1003009 ns"),
            (DevicePeriod{1003009, "ns"}));
  // the name may hold anything
  EXPECT_EQ(parse_device_period("xe, Arc, period 5 ns, 0000:3d:00.0 tile 0, period 1004 cycles"),
            (DevicePeriod{1004, "cycles"}));
  for (const char* none : {"", "xe, Arc, x", "xe, Arc, x, period 0 ns", "xe, Arc, x, period 5",
                           "xe, Arc, x, period -5 ns", "xe, Arc, x, period 5 n5",
                           "xe, Arc, x, period 5 ns 5", "xe, Arc, x, period 5 \033[m"})
    EXPECT_EQ(parse_device_period(none), DevicePeriod()) << none;
  // the longest unit that a reader takes
  const std::string x64(64, 'x');
  EXPECT_EQ(parse_device_period("xe, Arc, x, period 5 " + x64), (DevicePeriod{5, x64}));
  EXPECT_EQ(parse_device_period("xe, Arc, x, period 5 x" + x64), DevicePeriod());
}

}  // namespace
}  // namespace aiflame::collapse
