// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/unitrace.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

TEST(Unitrace, CallsOfDrivers) {
  for (const char* name : {"zeCommandListAppendLaunchKernel", "clEnqueueNDRangeKernel", "urInit"})
    EXPECT_TRUE(is_driver_call(name)) << name;
  for (const char* name : {"aten::mm", "zero_grad", "clone", "ur", "url"})
    EXPECT_FALSE(is_driver_call(name)) << name;
}

TEST(Unitrace, SizesOfOneLaunchAreNoNames) {
  EXPECT_EQ(unitrace_device_name("mm[SIMD32 {16; 1; 1} {64; 1; 1}]"), "mm");
  EXPECT_EQ(unitrace_device_name("zeCommandListAppendMemoryCopy(M2D)[4096 bytes]"),
            "zeCommandListAppendMemoryCopy(M2D)");
  EXPECT_EQ(unitrace_device_name("k[a]"), "k[a]");
  EXPECT_EQ(unitrace_device_name("[SIMD8]"), "[SIMD8]");
}

}  // namespace
}  // namespace aiflame::trace
