// SPDX-License-Identifier: MIT
#include "libcommon/attribution/launch_events.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(LaunchEvents, EventsAreLaunchesByTheirNames) {
  LaunchEvents usual(kDefaultLaunchEvents);
  EXPECT_TRUE(usual.is_launch("aiflame_launch:clEnqueueNDRangeKernel"));
  EXPECT_TRUE(usual.is_launch("probe_libOpenCL:clEnqueueNDRangeKernel"));
  EXPECT_TRUE(usual.is_launch("probe_libze_loader:zeCommandListAppendLaunchCooperativeKernel"));
  EXPECT_TRUE(usual.is_launch("probe_libcuda:cuLaunchKernelEx"));
  EXPECT_TRUE(usual.is_launch("probe_libamdhip64:hipLaunchKernel"));
  EXPECT_FALSE(usual.is_launch("probe_libcuda:cuLaunchHostFunc"));
  EXPECT_FALSE(usual.is_launch("aiflame_launch:cuLaunchKernel__return"));
  EXPECT_FALSE(usual.is_launch("cycles"));
  LaunchEvents own(",a:b?,,c:*,");
  EXPECT_TRUE(own.is_launch("a:bc"));
  EXPECT_FALSE(own.is_launch("a:b"));
  EXPECT_TRUE(own.is_launch("c:"));
  EXPECT_FALSE(own.is_launch("aiflame_launch:x"));
}

TEST(LaunchEvents, AKernelIsNamedByAnArgumentThatIsText) {
  EXPECT_EQ(kernel_argument("(7f01) kernel=\"a b\" x=1"), "a b");
  EXPECT_EQ(kernel_argument("(7f01) name=\"n\" kernel_name=\"k\""), "k");
  EXPECT_EQ(kernel_argument("(7f01) kernel=0x10"), "");
  EXPECT_EQ(kernel_argument("(7f01) mykernel=\"x\""), "");
  EXPECT_EQ(kernel_argument("(7f01) kernel=\"cut"), "cut");
  EXPECT_EQ(kernel_argument(""), "");
  EXPECT_TRUE(is_kernel_name("a"));
  EXPECT_FALSE(is_kernel_name("(fault)"));
  EXPECT_FALSE(is_kernel_name(""));
}

}  // namespace
}  // namespace aiflame
