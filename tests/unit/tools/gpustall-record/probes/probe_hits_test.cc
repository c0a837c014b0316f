// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/probe_hits.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gpustall-record/probes/probe_points.h"

namespace aiflame::record {
namespace {

constexpr uint32_t kPid = 1 << 23;  // no process has such a number
constexpr uint64_t kStackPointer = 0x7000;
constexpr uint64_t kAll = UINT64_MAX;

// The point of a function, or of its return.
size_t point_of(std::string_view function, bool at_return = false) {
  for (size_t i = 0; i < std::size(kProbePoints); ++i)
    if (kProbePoints[i].function == function &&
        (kProbePoints[i].meaning == ProbeMeaning::created) == at_return)
      return i;
  ADD_FAILURE() << function;
  return 0;
}

class ProbeHitsTest : public testing::Test {
 protected:
  // What is reported, a line each: `launch KERNEL COUNT`, `lost COUNT`, `map PATH`, …
  class Listener : public AgentListener {
   public:
    std::vector<std::string> lines;
    std::vector<uint64_t> frames, appended;  // of the latest stack

    void on_connected(uint32_t) override {}
    void on_device(uint32_t, uint32_t, std::string_view) override {}
    void on_map(uint32_t pid, uint64_t, uint64_t, uint64_t, std::string_view path,
                bool first) override {
      add(pid, "map " + std::string(path) + (first ? " first" : ""));
    }
    void on_fork(uint32_t, uint32_t pid) override { add(pid, "fork"); }
    void on_stack(uint32_t pid, const Stack& stack) override {
      kernels_[{pid, stack.id}] = stack.kernel;
      frames = stack.frames;
      appended = stack.appended;
    }
    void on_launch(uint32_t, const agent_launch&) override {}
    void on_done(uint32_t, const agent_done&) override {}
    void on_launches(uint32_t pid, const agent_launches& of) override {
      const bool is_retracted = (of.record.flags & AGENT_FAILED) != 0;
      const auto known = kernels_.find({pid, of.id});
      add(pid, (is_retracted ? "retract " : "launch ") +
                   (known == kernels_.end() ? "without a stack" : known->second) + " " +
                   std::to_string(of.count));
    }
    void on_load(uint32_t, const agent_code&, const ObjectContent&) override {}
    void on_unload(uint32_t, const agent_code&) override {}
    void on_lost(uint32_t pid, uint64_t launches) override {
      add(pid, "lost " + std::to_string(launches));
    }
    void on_gone(uint32_t pid) override { add(pid, "gone"); }

   private:
    void add(uint32_t pid, const std::string& line) {
      lines.push_back(pid == kPid ? line : "+" + std::to_string(pid - kPid) + " " + line);
    }
    std::map<std::pair<uint32_t, uint64_t>, std::string> kernels_;
  };
  using Lines = std::vector<std::string>;

  UprobeHit& add(UprobeHit::Kind kind, uint32_t pid = kPid) {
    UprobeHit& hit = hits_.emplace_back();
    hit.kind = kind;
    hit.time = hits_.size();
    hit.pid = hit.tid = pid;
    hit.sp = kStackPointer;
    return hit;
  }
  UprobeHit& call(std::string_view function, uint64_t first = 0, uint64_t second = 0) {
    UprobeHit& hit = add(UprobeHit::Kind::hit);
    hit.point = point_of(function);
    hit.arguments[0] = first;
    hit.arguments[1] = second;
    hit.frames = {0x1000, 0x2000};
    return hit;
  }
  UprobeHit& returns(std::string_view function, uint64_t result) {
    UprobeHit& hit = add(UprobeHit::Kind::hit);
    hit.point = point_of(function, true);
    hit.result = result;
    return hit;
  }
  void create_kernel(uint64_t handle, const std::string& name) {
    call("clCreateKernel").text = name;
    returns("clCreateKernel", handle);
  }
  // A command list whose handle is written to the caller's stack.
  void create_list(std::string_view function, uint64_t handle) {
    call(function).arguments[3] = kStackPointer + 16;
    std::string& stack = returns(function, 0).stack;
    stack.assign(64, '\0');
    std::memcpy(stack.data() + 16, &handle, sizeof handle);
  }
  Lines taken() {
    EXPECT_EQ(of_one_.take(hits_, kAll, listener_), hits_.size());
    hits_.clear();
    return std::exchange(listener_.lines, {});
  }

  Budgets budgets_;
  ProbeHits of_one_{kPid, budgets_};
  Listener listener_;
  std::vector<UprobeHit> hits_;
};

TEST_F(ProbeHitsTest, ALaunchIsOfTheKernelWhoseHandleItNames) {
  create_kernel(7, "gemm");
  create_kernel(8, "scale");
  call("clEnqueueNDRangeKernel", 1, 8);
  call("clEnqueueNDRangeKernel", 1, 7);
  call("clEnqueueNDRangeKernel", 1, 9);  // from before the probes
  EXPECT_EQ(taken(), (Lines{"launch scale 1", "launch gemm 1", "launch [unknown kernel] 1"}));
  EXPECT_EQ(listener_.frames, (std::vector<uint64_t>{0x1000, 0x2000}));
}

TEST_F(ProbeHitsTest, AHandleIsForgottenWithItsLastReference) {
  create_kernel(7, "gemm");
  call("clRetainKernel", 7);
  call("clReleaseKernel", 7);
  call("clEnqueueNDRangeKernel", 1, 7);
  call("clReleaseKernel", 7);
  call("clEnqueueNDRangeKernel", 1, 7);
  EXPECT_EQ(taken(), (Lines{"launch gemm 1", "launch [unknown kernel] 1"}));
}

TEST_F(ProbeHitsTest, AKernelThatIsNotCreatedHasNoHandle) {
  call("clCreateKernel").text = "gemm";
  returns("clCreateKernel", 0);
  call("clEnqueueNDRangeKernel", 1, 0);
  EXPECT_EQ(taken(), (Lines{"launch [unknown kernel] 1"}));
}

TEST_F(ProbeHitsTest, ANameThatTheProgramAsksForIsLearned) {
  constexpr uint64_t kFunctionName = 0x1190;  // cl.h
  UprobeHit& asks = call("clGetKernelInfo", 7, kFunctionName);
  asks.arguments[3] = kStackPointer + 8;
  returns("clGetKernelInfo", 0).stack = std::string(8, '\0') + "gemm" + std::string(8, '\0');
  call("clEnqueueNDRangeKernel", 1, 7);
  // one that is not on the caller's stack may have been written over since
  call("clGetKernelInfo", 8, kFunctionName).arguments[3] = kStackPointer - 8;
  returns("clGetKernelInfo", 0).stack = std::string(32, 'x');
  call("clEnqueueNDRangeKernel", 1, 8);
  EXPECT_EQ(taken(), (Lines{"launch gemm 1", "launch [unknown kernel] 1"}));
}

TEST_F(ProbeHitsTest, AListLaunchesWhatWasAppendedEachTimeItIsExecuted) {
  create_kernel(7, "gemm");
  create_list("zeCommandListCreate", 20);
  call("zeCommandListAppendLaunchKernel", 20, 7);
  call("zeCommandListClose", 20);
  EXPECT_EQ(taken(), Lines{});
  for (int i = 0; i < 2; ++i) {
    UprobeHit& executes = call("zeCommandQueueExecuteCommandLists", 1, 1);
    executes.values = {20};
    executes.frames = {0x3000};
  }
  EXPECT_EQ(taken(), (Lines{"launch gemm 1", "launch gemm 1"}));
  EXPECT_EQ(listener_.frames, (std::vector<uint64_t>{0x3000}));
  EXPECT_EQ(listener_.appended, (std::vector<uint64_t>{0x1000, 0x2000}));
}

TEST_F(ProbeHitsTest, AnImmediateListLaunchesAtOnce) {
  create_kernel(7, "gemm");
  create_list("zeCommandListCreateImmediate", 20);
  call("zeCommandListAppendLaunchKernel", 20, 7);
  EXPECT_EQ(taken(), (Lines{"launch gemm 1"}));
}

TEST_F(ProbeHitsTest, HandlesBeyondThoseThatWereFetchedAreLostLaunches) {
  UprobeHit& executes = call("zeCommandQueueExecuteCommandLists", 1, 40);
  executes.values.assign(Uprobe::kValues, 20);
  const Lines lines = taken();
  ASSERT_EQ(lines.size(), Uprobe::kValues + 1);
  EXPECT_EQ(lines.back(), "lost 8");
}

TEST_F(ProbeHitsTest, OtherProcessesAreLeftOut) {
  add(UprobeHit::Kind::hit, kPid + 1).point = point_of("clEnqueueNDRangeKernel");
  UprobeHit& fork = add(UprobeHit::Kind::fork, kPid + 2);
  fork.parent = kPid + 1;
  add(UprobeHit::Kind::hit, kPid + 2).point = point_of("clEnqueueNDRangeKernel");
  EXPECT_EQ(taken(), Lines{});
}

TEST_F(ProbeHitsTest, AChildHasItsParentsHandlesUntilItsExec) {
  create_kernel(7, "gemm");
  add(UprobeHit::Kind::fork, kPid + 1).parent = kPid;
  const auto launch_in_child = [&] {
    UprobeHit& hit = add(UprobeHit::Kind::hit, kPid + 1);
    hit.point = point_of("clEnqueueNDRangeKernel");
    hit.arguments[1] = 7;
  };
  launch_in_child();
  add(UprobeHit::Kind::exec, kPid + 1);
  add(UprobeHit::Kind::map, kPid + 1).stack = "/bin/a";
  add(UprobeHit::Kind::map, kPid + 1).stack = "/lib/b.so";
  launch_in_child();
  EXPECT_EQ(taken(), (Lines{"+1 fork", "+1 launch gemm 1", "+1 gone", "+1 map /bin/a first",
                            "+1 map /lib/b.so", "+1 launch [unknown kernel] 1"}));
}

TEST_F(ProbeHitsTest, HitsAfterTheSettledTimeWait) {
  call("clEnqueueNDRangeKernel");
  call("clEnqueueNDRangeKernel");
  EXPECT_EQ(of_one_.take(hits_, 1, listener_), 1U);
  EXPECT_EQ(listener_.lines, (Lines{"launch [unknown kernel] 1"}));
}

TEST_F(ProbeHitsTest, LostHitsOfLaunchesAreLostLaunches) {
  UprobeHit& lost = add(UprobeHit::Kind::lost);
  lost.point = point_of("clEnqueueNDRangeKernel");
  lost.lost = 5;
  EXPECT_EQ(taken(), (Lines{"lost 5"}));
}

TEST_F(ProbeHitsTest, WhatAProcessLeavesGoesWithIt) {
  for (uint64_t handle = 1; handle <= 100; ++handle) create_kernel(handle, "gemm");
  call("clEnqueueNDRangeKernel", 1, 7);
  EXPECT_EQ(taken().size(), 1U);
  EXPECT_GT(budgets_.used(Kept::probes), 0U);
  add(UprobeHit::Kind::exit);
  EXPECT_EQ(taken(), (Lines{"gone"}));
  EXPECT_EQ(budgets_.used(Kept::probes), 0U);
}

}  // namespace
}  // namespace aiflame::record
