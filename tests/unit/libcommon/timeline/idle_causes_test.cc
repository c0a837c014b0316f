// SPDX-License-Identifier: MIT
#include "libcommon/timeline/idle_causes.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

struct Span {
  int64_t from, to;
  HostPhase phase;
  uint32_t what;
};

// "0-5 [untraced] 0, 5-8 [in the runtime] 3"
std::string explained(int64_t from, int64_t to, std::optional<int64_t> launched,
                      const std::vector<Span>& host) {
  const auto host_at = [&](int64_t time) {
    HostMoment out;
    for (const Span& one : host) {
      if (one.from > time) out.until = std::min(out.until, one.from);
      if (one.from <= time && time < one.to) out = {one.phase, one.what, one.to};
    }
    return out;
  };
  std::string out;
  for (const IdlePart& part : explain_gap({from, to}, launched, host_at))
    out += (out.empty() ? "" : ", ") + std::to_string(part.from) + "-" + std::to_string(part.to) +
           " " + std::string(idle_frame(part.cause)) + " " + std::to_string(part.what);
  return out;
}

TEST(IdleCauses, AGapIsCutWhereItsCauseChanges) {
  EXPECT_EQ(explained(10, 60, 50,
                      {{0, 15, HostPhase::waits, 1},
                       {15, 30, HostPhase::runs, 2},
                       {40, 50, HostPhase::calls, 3},
                       {50, 90, HostPhase::runs, 4}}),
            "10-15 [host waits for the device] 1, 15-30 [host busy] 2, 30-40 [untraced] 0, "
            "40-50 [in the runtime] 3, 50-60 [launch latency] 0");
}

TEST(IdleCauses, ACopyThatBlocksTheHostComesBeforeLaunchLatency) {
  EXPECT_EQ(explained(10, 60, 20, {{10, 20, HostPhase::calls, 1}, {25, 50, HostPhase::copies, 2}}),
            "10-20 [in the runtime] 1, 20-25 [launch latency] 0, 25-50 [host copies] 2, "
            "50-60 [launch latency] 0");
  // but a synchronisation then waits for what was launched
  EXPECT_EQ(explained(10, 60, 20, {{10, 20, HostPhase::calls, 1}, {25, 60, HostPhase::waits, 2}}),
            "10-20 [in the runtime] 1, 20-60 [launch latency] 0");
}

TEST(IdleCauses, WhatWasLaunchedBeforeTheGapIsTheDevicesMatter) {
  EXPECT_EQ(explained(10, 60, 10, {{0, 90, HostPhase::copies, 1}}), "10-60 [launch latency] 0");
}

TEST(IdleCauses, WithoutALaunchTheHostAloneTells) {
  EXPECT_EQ(explained(10, 20, std::nullopt, {}), "10-20 [untraced] 0");
  EXPECT_EQ(explained(10, 20, std::nullopt, {{0, 99, HostPhase::runs, 7}}), "10-20 [host busy] 7");
}

TEST(IdleCauses, AHostThatDoesNotAdvanceEnds) {
  const auto parts = explain_gap({0, 3}, std::nullopt, [](int64_t time) {
    return HostMoment{HostPhase::runs, static_cast<uint32_t>(time), time};
  });
  EXPECT_EQ(parts.size(), 3u);
}

TEST(IdleCauses, CallsByTheirNames) {
  for (const char* name : {"cudaDeviceSynchronize", "hipEventSynchronize", "cuStreamSynchronize",
                           "zeEventHostSynchronize", "clFinish", "clWaitForEvents", "urQueueFinish",
                           "hsa_signal_wait_scacquire"})
    EXPECT_EQ(phase_of_call(name), HostPhase::waits) << name;
  for (const char* name :
       {"cudaMemcpyAsync", "hipMemcpyWithStream", "cuMemcpyHtoD_v2", "clEnqueueReadBuffer",
        "zeCommandListAppendMemoryCopy", "hsa_amd_memory_async_copy_on_engine"})
    EXPECT_EQ(phase_of_call(name), HostPhase::copies) << name;
  for (const char* name : {"cudaLaunchKernel", "hipGraphLaunch", "cudaMalloc", "cudaMemsetAsync",
                           "cudaStreamWaitEvent", "clEnqueueNDRangeKernel"})
    EXPECT_EQ(phase_of_call(name), HostPhase::calls) << name;
}

TEST(IdleCauses, EachHasItsFrameMeaningAndAdvice) {
  for (size_t i = 0; i < kIdleCauses; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    EXPECT_EQ(find_idle_cause(idle_frame(cause)), cause);
    EXPECT_TRUE(meaning_of(cause).ends_with('.'));
    EXPECT_TRUE(advice_against(cause).ends_with('.'));
  }
  EXPECT_EQ(find_idle_cause("[gpu idle]"), std::nullopt);
  EXPECT_TRUE(is_idle_frame("[gpu idle]"));
  EXPECT_TRUE(is_idle_frame("[host busy]"));
  EXPECT_FALSE(is_idle_frame("[exposed]"));
  EXPECT_FALSE(is_idle_frame("idle"));
}

}  // namespace
}  // namespace aiflame
