// SPDX-License-Identifier: MIT
#include "libcommon/timeline/launch_coverage.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

constexpr LaunchCallKind kKernel = LaunchCallKind::kernel, kReplay = LaunchCallKind::replay;

TEST(LaunchCoverage, NineOfTenLaunchesTellIdleTime) {
  std::vector<LaunchRecord> launches;
  for (int64_t i = 0; i < 10; ++i) launches.push_back({1, i, kKernel, i > 0 ? 1u : 0u, 0});
  EXPECT_EQ(coverage_text(coverage_of(launches)),
            "9 of 10 launched kernels are recorded (90.00 %)");
  EXPECT_TRUE(coverage_of(launches).tells_idle());
  launches.push_back({1, 5, kKernel, 0, 0});
  EXPECT_EQ(coverage_text(coverage_of(launches)),
            "9 of 11 launched kernels are recorded (81.82 %): time without records is not called "
            "idle");
  EXPECT_FALSE(coverage_of(launches).tells_idle());
}

TEST(LaunchCoverage, WhatWasLaunchedLastHadNotRun) {
  std::vector<LaunchRecord> launches = {{1, 0, kKernel, 1, 0}, {2, 0, kKernel, 1, 0}};
  for (int64_t i = 1; i < 10; ++i) launches.push_back({1, i, kKernel, 0, 0});
  EXPECT_TRUE(coverage_of(launches).is_whole());
  launches.push_back({1, 10, kKernel, 1, 0});
  EXPECT_EQ(coverage_of(launches).launched, 12u);
  // a process without any record has no window
  launches.push_back({3, 0, kReplay, 0, 0});
  EXPECT_EQ(coverage_of(launches).launched, 12u);
}

TEST(LaunchCoverage, ReplaysCountByTheirKernels) {
  const LaunchCoverage coverage = coverage_of({{1, 0, kReplay, 544, 7},
                                               {1, 1, kReplay, 500, 7},
                                               {1, 2, kReplay, 0, 0},
                                               {1, 3, kReplay, 0, 0},
                                               {1, 4, kReplay, 10, 8}});
  EXPECT_EQ(coverage.kernels, 1054u);
  EXPECT_EQ(coverage.launched, 2 * 544 + 10 + 2 * ((2 * 544 + 10) / 3u));
  // the same number in another process is another graph
  EXPECT_TRUE(coverage_of({{1, 0, kReplay, 544, 7}, {2, 0, kReplay, 3, 7}}).is_whole());
}

TEST(LaunchCoverage, WhatIsCapturedDoesNotRun) {
  // in any order; another process captures nothing
  std::vector<LaunchRecord> launches = {{1, 30, LaunchCallKind::end_capture, 0, 0},
                                        {1, 10, LaunchCallKind::begin_capture, 0, 0},
                                        {1, 15, kKernel, 0, 0},
                                        {1, 20, kKernel, 1, 0},
                                        {1, 40, kKernel, 1, 0},
                                        {2, 15, kKernel, 0, 0},
                                        {2, 16, kKernel, 1, 0}};
  EXPECT_EQ(coverage_of(launches).kernels, 3u);
  EXPECT_EQ(coverage_of(launches).launched, 4u);
  launches.erase(launches.begin());  // the end is not recorded
  EXPECT_EQ(coverage_of(launches).launched, 4u);
}

TEST(LaunchCoverage, CallsByTheirNames) {
  for (const char* name : {"cudaLaunchKernel", "cuLaunchKernelEx", "hipExtModuleLaunchKernel"})
    EXPECT_EQ(launch_kind(name), kKernel) << name;
  for (const char* name :
       {"cudaLaunchHostFunc", "cudaMemcpyAsync", "zeCommandListAppendLaunchKernel"})
    EXPECT_EQ(launch_kind(name), std::nullopt) << name;
  EXPECT_EQ(launch_kind("cudaGraphLaunch_v10000"), kReplay);
  EXPECT_EQ(launch_kind("hipStreamBeginCapture"), LaunchCallKind::begin_capture);
  EXPECT_EQ(launch_kind("cudaStreamEndCapture_v10000"), LaunchCallKind::end_capture);
}

}  // namespace
}  // namespace aiflame
