// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/host_samples.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aiflame::collapse {
namespace {

class HostSamplesTest : public testing::Test {
 protected:
  uint32_t stack(const std::vector<std::string>& frames) {
    std::vector<uint32_t> numbers;
    for (const std::string& frame : frames) numbers.push_back(tables_.texts.number(frame));
    return tables_.stacks.number(tables_.texts.number("app"), numbers.data(), numbers.size());
  }
  void add(int64_t tid, uint64_t time, const std::string& frame, uint64_t period = 10) {
    host_.add("cpu-clock", tid, time, stack({frame}), period);
  }
  // "work 10, other 5, 3 left"
  std::string share(int64_t tid, uint64_t from, uint64_t to, uint64_t time) {
    std::string out;
    const uint64_t left = host_.share(tid, from, to, time, [&](uint32_t one, uint64_t part) {
      tables_.stacks.each_frame(
          one, [&](uint32_t frame) { out += std::string(tables_.texts.text(frame)) + " "; });
      out += std::to_string(part) + ", ";
    });
    return out + std::to_string(left) + " left";
  }

  FrameTables tables_;
  HostSamples host_{true, tables_};
};

TEST_F(HostSamplesTest, ASampleHasAtMostWhatItStandsFor) {
  EXPECT_EQ(share(7, 0, 100, 50), "50 left");
  add(7, 20, "work");
  add(7, 10, "other", 5);
  add(8, 15, "thread");
  EXPECT_EQ(share(7, 0, 100, 50), "other 5, work 10, 35 left");
  EXPECT_EQ(share(7, 10, 20, 50), "work 10, 40 left");
  EXPECT_EQ(share(7, 9, 19, 50), "other 5, 45 left");
  EXPECT_EQ(share(9, 0, 100, 50), "50 left");
}

TEST_F(HostSamplesTest, AShorterGapIsApportionedAndNothingIsLost) {
  for (uint64_t i = 0; i < 3; ++i) add(7, 10 + i, "f" + std::to_string(i));
  EXPECT_EQ(share(7, 0, 100, 10), "f0 3, f1 3, f2 4, 0 left");
  EXPECT_EQ(share(7, 0, 100, 2), "f1 1, f2 1, 0 left");
  add(7, 20, "great", UINT64_MAX);
  EXPECT_EQ(share(7, 15, 100, UINT64_MAX), "great 4294967295, 18446744069414584320 left");
}

TEST_F(HostSamplesTest, CallsOfTheRuntimeAreNoGapOfThisKind) {
  for (const char* call : {"cudaLaunchKernel", "__cudaLaunchKernel", "cuLaunchKernel", "clFinish",
                           "zeEventHostSynchronize", "hsa_signal_wait_scacquire",
                           "aiflame::agent::report_launch", "[libOpenCL.so.1.0.0]"})
    host_.add("cpu-clock", 7, 10, stack({"ioctl", call, "main"}), 10);
  EXPECT_EQ(share(7, 0, 100, 50), "50 left");
  for (const char* own : {"customer", "clang", "zero", "cut", "hipster", "_start"})
    add(7, 20, own, 1);
  EXPECT_EQ(share(7, 0, 100, 6), "customer 1, clang 1, zero 1, cut 1, hipster 1, _start 1, 0 left");
}

TEST_F(HostSamplesTest, AnEarlierEventTakesThePlaceOfAll) {
  add(7, 10, "old");
  host_.add("task-clock", 7, 10, stack({"new"}), 10);
  EXPECT_EQ(share(7, 0, 100, 50), "new 10, 40 left");
}

}  // namespace
}  // namespace aiflame::collapse
