// SPDX-License-Identifier: MIT
#include "libcommon/timeline/host_activity.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

constexpr uint64_t kMain = 1, kOther = 2;

struct Fixture {
  ImportedStacks stacks;
  HostActivity host{stacks};

  uint32_t stack(const char* frame) { return stacks.child(ImportedStacks::kEmpty, frame); }
  void call(uint64_t thread, int64_t begin, int64_t end, const char* name) {
    host.add_call(thread, begin, end, phase_of_call(name), stack(name));
  }
  void range(uint64_t thread, int64_t begin, int64_t end, const char* name) {
    host.add_range(thread, begin, end, stacks.frame(name));
  }
  void finish() {
    host.finish([&](uint64_t) { return stack("app"); });
  }
  // "step;load until 30", "nothing until 10"
  std::string at(uint64_t thread, int64_t time) {
    const HostMoment moment = host.at(thread, kMain, time);
    std::string out;
    for (uint32_t one = moment.what;
         moment.phase != HostPhase::nothing && one != ImportedStacks::kEmpty;
         one = stacks.below(one))
      out = std::string(stacks.text(stacks.frame_of(one))) + (out.empty() ? "" : ";") + out;
    if (out.empty()) out = "nothing";
    return out + (moment.until == INT64_MAX ? "" : " until " + std::to_string(moment.until));
  }
};

TEST(HostActivity, CallsStandInRangesWhichMayEndInAnyOrder) {
  Fixture f;
  f.range(kMain, 10, 40, "step");
  f.range(kMain, 20, 50, "load");
  f.call(kMain, 25, 30, "cudaStreamSynchronize");
  f.finish();
  EXPECT_EQ(f.at(kMain, 9), "nothing until 10");
  EXPECT_EQ(f.at(kMain, 10), "app;step until 20");
  EXPECT_EQ(f.at(kMain, 24), "app;step;load until 25");
  EXPECT_EQ(f.at(kMain, 25), "cudaStreamSynchronize until 30");
  EXPECT_EQ(f.at(kMain, 30), "app;step;load until 40");
  EXPECT_EQ(f.at(kMain, 45), "app;load until 50");
  EXPECT_EQ(f.at(kMain, 50), "nothing");
}

TEST(HostActivity, TheOutermostCallSaysWhatTheInnermostWhere) {
  Fixture f;
  f.call(kMain, 0, 10, "cudaMemcpy");
  f.call(kMain, 2, 8, "cuStreamSynchronize");
  f.finish();
  EXPECT_EQ(f.host.at(kMain, kMain, 5).phase, HostPhase::copies);
  EXPECT_EQ(f.at(kMain, 5), "cuStreamSynchronize until 8");
  EXPECT_EQ(f.at(kMain, 9), "cudaMemcpy until 10");
}

TEST(HostActivity, AThreadWithNothingOpenLeavesItToTheMainThread) {
  Fixture f;
  f.call(kOther, 5, 8, "cudaLaunchKernel");
  f.range(kMain, 0, 20, "step");
  f.finish();
  EXPECT_EQ(f.at(kOther, 1), "app;step until 5");
  EXPECT_EQ(f.at(kOther, 6), "cudaLaunchKernel until 8");
  EXPECT_EQ(f.at(kOther, 9), "app;step until 20");
  EXPECT_EQ(f.at(3, 9), "app;step until 20");
  EXPECT_EQ(f.at(kOther, 21), "nothing");
}

TEST(HostActivity, ASampleSaysMoreThanARangeAndLessThanACall) {
  Fixture f;
  f.range(kMain, 0, 40, "step");
  f.host.add_sample(kMain, 10, 30, f.stack("parse"));
  f.call(kMain, 15, 20, "cudaMalloc");
  f.finish();
  EXPECT_EQ(f.at(kMain, 5), "app;step until 10");
  EXPECT_EQ(f.at(kMain, 12), "parse until 15");
  EXPECT_EQ(f.host.at(kMain, kMain, 12).phase, HostPhase::runs);
  EXPECT_EQ(f.at(kMain, 15), "cudaMalloc until 20");
  EXPECT_EQ(f.at(kMain, 30), "app;step until 40");
}

TEST(HostActivity, WhatHasNoDurationOrEndsEarlyIsLeftOut) {
  Fixture f;
  f.range(kMain, 7, 7, "a");
  f.range(kMain, 9, 8, "b");
  f.finish();
  EXPECT_EQ(f.at(kMain, 7), "nothing");
}

}  // namespace
}  // namespace aiflame
