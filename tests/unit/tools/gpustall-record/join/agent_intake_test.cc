// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/agent_intake.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace aiflame::record {
namespace {

constexpr uint64_t kMs = 1000000, kOrigin = 1000 * kMs;
constexpr uint32_t kPid = 1 << 23;  // no process has such a number
constexpr uint64_t kStack = 11;

agent_launch launch_of(uint64_t stack, uint64_t instance, uint64_t time) {
  agent_launch launch{};
  launch.id = stack;
  launch.instance = instance;
  launch.time = time;
  return launch;
}

agent_done done_of(uint64_t instance, uint64_t begin, uint64_t end, uint16_t flags = 0) {
  agent_done done{};
  done.record.flags = flags;
  done.instance = instance;
  done.begin = begin;
  done.end = end;
  return done;
}

agent_sample sample_of(uint32_t count, uint32_t reason, uint64_t stack) {
  agent_sample sample{};
  sample.count = count;
  sample.reason = reason;
  sample.stack = stack;
  return sample;
}

class AgentIntakeTest : public testing::Test {
 protected:
  void SetUp() override { intake_.set_time(kOrigin + 10 * kMs); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void tell_stack(uint32_t pid = kPid, uint64_t id = kStack, uint32_t device = 0) {
    AgentListener::Stack stack;
    stack.id = id;
    stack.tid = pid;
    stack.device = device;
    stack.comm = "app";
    stack.kernel = "gemm";
    stack.frames = {0x1000};
    intake_.on_stack(pid, stack);
  }

  // The recording so far, as the output would have it. The ledger must agree with that.
  struct Written {
    uint64_t launches = 0, busy_ns = 0, samples = 0;
    bool all_measured = true;
    std::vector<TimedSample> groups;
    std::string losses;  // "launches 3, samples unknown"
  };
  Written take_all() {
    Written out;
    intake_.end_slices();
    intake_.place_losses();
    Slice slice;
    while (joiner_.take_next(UINT64_MAX, true, slice)) {
      for (const auto& [kind, launched] : slice.launched) {
        out.launches += launched.count;
        out.busy_ns += launched.busy_ns;
        out.all_measured = out.all_measured && launched.measured;
        tables_.ledger.write(Counted::launches, launched.count);
      }
      for (const Slice::Part& part : slice.parts) {
        for (const SampleGroup& group : part.groups) {
          out.samples += group.sample.count;
          out.groups.push_back(group.sample);
          tables_.ledger.write(Counted::samples, group.sample.count);
        }
        for (const SliceEvent& event : part.events) {
          const bool is_launch = event.kind == SliceEvent::Kind::lost_launches;
          if (!is_launch && event.kind != SliceEvent::Kind::lost_samples) continue;
          out.losses += std::string(out.losses.empty() ? "" : ", ") +
                        (is_launch ? "launches " : "samples ") +
                        (event.count == UINT64_MAX ? "unknown" : std::to_string(event.count));
          tables_.ledger.write_loss(is_launch ? Counted::launches : Counted::samples, event.count);
        }
      }
    }
    EXPECT_EQ(tables_.ledger.check(joiner_.holding()), "");
    return out;
  }

  const std::string directory_ =
      testing::TempDir() + "agent_intake_test." + std::to_string(getpid());
  Budgets budgets_;
  CaptureTables tables_{kOrigin, budgets_};
  // agents' samples have no time of their own: slices end where an agent says so
  SliceJoiner joiner_{kOrigin, 0, budgets_, tables_.ledger};
  CodeTracker code_{directory_, tables_.kernels, joiner_, budgets_};
  AgentIntake intake_{kOrigin, tables_, code_, joiner_};
};

TEST_F(AgentIntakeTest, ALaunchHasTheTimeThatTheDeviceRanIt) {
  tell_stack();
  intake_.on_launch(kPid, launch_of(kStack, 1, kOrigin + kMs));
  intake_.on_done(kPid, done_of(1, kOrigin + 2 * kMs, kOrigin + 5 * kMs));
  const Written written = take_all();
  EXPECT_EQ(written.launches, 1u);
  EXPECT_EQ(written.busy_ns, 3 * kMs);
  EXPECT_TRUE(written.all_measured);
  EXPECT_EQ(written.losses, "");
}

// A stack that met a full ring, or had no room, is never told.
TEST_F(AgentIntakeTest, LaunchesWithoutTheirStackAreLostByName) {
  tell_stack();
  intake_.on_launch(kPid, launch_of(kStack + 1, 1, kOrigin + kMs));
  agent_launches more{};
  more.id = kStack + 1;
  more.time = kOrigin + kMs;
  more.count = 5;
  intake_.on_launches(kPid, more);
  more.record.flags = AGENT_FAILED;  // they did not happen
  intake_.on_launches(kPid, more);
  intake_.on_lost(kPid, 2);
  EXPECT_EQ(tables_.ledger.lost(Counted::launches, LossCause::no_stack), 6u);
  EXPECT_EQ(tables_.ledger.lost(Counted::launches, LossCause::reported), 2u);
  const Written written = take_all();
  EXPECT_EQ(written.launches, 0u);
  EXPECT_EQ(written.losses, "launches 8");
}

TEST_F(AgentIntakeTest, TimesThatCannotBeAreNoTimes) {
  const uint64_t now = kOrigin + 10 * kMs;
  const struct {
    uint64_t begin, end, launches, busy_ns;
    uint16_t flags;
    bool measured;
  } cases[] = {
      {kOrigin + 2 * kMs, kOrigin + 3 * kMs, 1, kMs, 0, true},
      {0, 0, 0, 0, AGENT_FAILED, true},
      {0, 0, 1, 0, AGENT_NO_TIMES, false},
      {kOrigin + 3 * kMs, kOrigin + 2 * kMs, 1, 0, 0, false},         // ends first
      {kOrigin - 2 * kMs, kOrigin + 2 * kMs, 1, 0, 0, false},         // before the recording
      {kOrigin + kMs, now + 1000 * kMs + 1, 1, 0, 0, false},          // in the future
      {77, 77 + 2 * kMs, 1, 2 * kMs, AGENT_DURATION, true},           // another clock's
      {77, UINT64_MAX, 1, kOrigin + 10 * kMs, AGENT_DURATION, true},  // longer than ever
  };
  uint64_t instance = 0;
  for (const auto& one : cases) {
    SCOPED_TRACE(instance);
    Budgets budgets;
    CaptureTables tables(kOrigin, budgets);
    SliceJoiner joiner(kOrigin, 0, budgets, tables.ledger);
    CodeTracker code(directory_, tables.kernels, joiner, budgets);
    AgentIntake intake(kOrigin, tables, code, joiner);
    intake.set_time(now);
    AgentListener::Stack stack;
    stack.id = kStack;
    stack.comm = "app";
    stack.kernel = "gemm";
    intake.on_stack(kPid, stack);
    intake.on_launch(kPid, launch_of(kStack, ++instance, kOrigin + kMs));
    intake.on_done(kPid, done_of(instance, one.begin, one.end, one.flags));
    uint64_t launches = 0, busy_ns = 0;
    bool measured = true;
    Slice slice;
    while (joiner.take_next(UINT64_MAX, true, slice))
      for (const auto& [kind, launched] : slice.launched) {
        launches += launched.count;
        busy_ns += launched.busy_ns;
        measured = launched.measured;
      }
    EXPECT_EQ(launches, one.launches);
    EXPECT_EQ(busy_ns, one.busy_ns);
    EXPECT_EQ(measured, one.measured);
  }
}

TEST_F(AgentIntakeTest, ALaunchIsOnTheDeviceWhosePlaceItsProcessNamed) {
  intake_.set_place(0, "0000:3a:00.0");
  intake_.set_place(1, "0000:8b:00.0");
  intake_.on_device(kPid, 1, "0000:8b:00.0");
  intake_.on_device(kPid, 2, "0000:c3:00.0");  // of which the source knows nothing
  tell_stack(kPid, 1, 1);
  tell_stack(kPid, 2, 2);
  tell_stack(kPid, 3, 3);
  tell_stack(kPid + 1, 1, 1);  // it has named no device
  EXPECT_EQ(tables_.launches.find(kPid, 1)->device, 1u);
  EXPECT_EQ(tables_.launches.find(kPid, 2)->device, 3u);
  EXPECT_EQ(tables_.launches.find(kPid, 3)->device, 0u);
  EXPECT_EQ(tables_.launches.find(kPid + 1, 1)->device, 0u);
}

TEST_F(AgentIntakeTest, SamplesOfAgentsCountOnlyWhereTheyAreTheSource) {
  tell_stack();
  intake_.on_sample(kPid, sample_of(5, 1, kStack));
  intake_.on_lost_samples(kPid, 0, 7);
  intake_.on_sampling(kPid, 0, 1024, "cycles", "H100");
  intake_.on_drained(kPid, kOrigin + 3 * kMs);
  EXPECT_EQ(intake_.last_sampled(), 0u);
  for (const std::string& line : intake_.take_header_lines())
    EXPECT_FALSE(line.starts_with("device")) << line;
  const Written written = take_all();
  EXPECT_EQ(written.samples, 0u);
  EXPECT_EQ(written.losses, "");
}

// On a slow machine, an agent has read its samples after the recorder asked for the time, and
// before the recorder reads the ring.
TEST_F(AgentIntakeTest, ASliceOfSamplesEndsWhenItsAgentSays) {
  intake_.accept_samples("cupti");
  tell_stack();
  intake_.on_sample(kPid, sample_of(5, 3, kStack));
  intake_.on_drained(kPid, kOrigin + 25 * kMs);
  intake_.on_sample(kPid, sample_of(2, 3, kStack));
  intake_.on_drained(kPid, UINT64_MAX);  // a lie
  const Written written = take_all();
  ASSERT_EQ(written.groups.size(), 2u);
  EXPECT_EQ(written.groups[0].time, kOrigin + 25 * kMs - 1);
  EXPECT_LE(written.groups[1].time, kOrigin + 2000 * kMs);
}

TEST_F(AgentIntakeTest, SamplesWaitForTheEndOfTheirSlice) {
  intake_.accept_samples("cupti");
  tell_stack();
  intake_.on_reason(kPid, 3, "long_scoreboard");
  intake_.on_sample(kPid, sample_of(5, 3, kStack));
  intake_.on_sample(kPid,
                    sample_of(2, 4, kStack + 1));  // neither its reason nor its stack is known
  agent_sample of_driver = sample_of(4, 3, 0);
  of_driver.record.flags = AGENT_FOREIGN;
  intake_.on_sample(kPid, of_driver);
  EXPECT_EQ(joiner_.holding().samples, 0u);
  intake_.on_drained(kPid, kOrigin + 3 * kMs);
  EXPECT_EQ(joiner_.holding().samples, 11u);
  // without a number it is a loss all the same
  intake_.on_lost_samples(kPid, 0, 9);
  intake_.on_lost_samples(kPid, 0, UINT64_MAX);
  const Written written = take_all();
  EXPECT_EQ(written.samples, 11u);
  EXPECT_EQ(written.losses, "samples 9, samples unknown");
  EXPECT_EQ(tables_.totals.driver_kernels, 4u);
  ASSERT_EQ(written.groups.size(), 3u);
  for (const TimedSample& sample : written.groups) {
    const bool is_known = sample.count == 5, is_driver = sample.count == 4;
    EXPECT_EQ(sample.launch, is_known ? 1u : 0u) << sample.count;
    EXPECT_EQ(tables_.reasons.name(sample.reason), is_known    ? "long_scoreboard"
                                                   : is_driver ? ""
                                                               : "[unknown]");
    EXPECT_EQ(tables_.kernels.name(sample.kernel), is_driver ? AGENT_DRIVER_KERNEL : "")
        << sample.count;
  }
}

// An agent that was killed has not ended its last slice.
TEST_F(AgentIntakeTest, SamplesOfAProcessThatEndsAreKept) {
  intake_.accept_samples("cupti");
  tell_stack();
  intake_.on_sample(kPid, sample_of(5, 0, kStack));
  intake_.on_gone(kPid);
  EXPECT_EQ(joiner_.holding().samples, 5u);
  EXPECT_EQ(take_all().samples, 5u);
}

TEST_F(AgentIntakeTest, ANewProgramInAProcessHasNothingOfTheOldOne) {
  intake_.accept_samples("cupti");
  tell_stack();
  intake_.on_reason(kPid, 3, "long_scoreboard");
  intake_.on_launch(kPid, launch_of(kStack, 1, kOrigin + kMs));
  intake_.on_connected(kPid);
  EXPECT_EQ(tables_.launches.find(kPid, kStack), nullptr);
  intake_.on_launch(kPid, launch_of(kStack, 1, kOrigin + 2 * kMs));
  intake_.on_sample(kPid, sample_of(1, 3, kStack));
  const Written written = take_all();
  EXPECT_EQ(written.launches, 1u);  // the first, whose end was never told
  EXPECT_FALSE(written.all_measured);
  EXPECT_EQ(written.losses, "launches 1");
  ASSERT_EQ(written.groups.size(), 1u);
  EXPECT_EQ(written.groups[0].launch, 0u);
  EXPECT_EQ(tables_.reasons.name(written.groups[0].reason), "[unknown]");
}

TEST_F(AgentIntakeTest, ALineForTheUserIsWrittenOnce) {
  intake_.accept_samples("cupti");
  intake_.set_place(0, "0000:3a:00.0");
  for (const uint32_t pid : {kPid, kPid + 1}) intake_.on_sampling(pid, 0, 1024, "cycles", "H100");
  intake_.on_sampling(kPid, 0, 2048, "cycles", "H100");
  std::vector<std::string> devices;
  for (const std::string& line : intake_.take_header_lines())
    if (line.starts_with("device ")) devices.push_back(line);
  EXPECT_EQ(devices,
            (std::vector<std::string>{"device 0 : cupti, H100, 0000:3a:00.0, period 1024 cycles",
                                      "device 0 : cupti, H100, 0000:3a:00.0, period 2048 cycles"}));
  testing::internal::CaptureStderr();
  for (const uint32_t pid : {kPid, kPid + 1}) intake_.on_message(pid, "no samples", false);
  intake_.on_message(kPid, "as root it works", true);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("process 8388608: no samples"), std::string::npos) << said;
  EXPECT_EQ(said.find("process 8388609"), std::string::npos) << said;
  EXPECT_NE(said.find("as root it works"), std::string::npos) << said;
  EXPECT_EQ(tables_.totals.complaints, 2u);
}

TEST_F(AgentIntakeTest, StacksBeyondTheBudgetMakeTheirLaunchesLost) {
  uint64_t id = 0;
  while (budgets_.report().empty() && id < 1000000) tell_stack(kPid, ++id);
  EXPECT_GT(id, 10000u);
  EXPECT_EQ(tables_.launches.find(kPid, id), nullptr);
  intake_.on_launch(kPid, launch_of(id, 1, kOrigin + kMs));
  intake_.on_launch(kPid, launch_of(1, 2, kOrigin + kMs));
  const Written written = take_all();
  EXPECT_EQ(written.launches, 1u);
  EXPECT_EQ(written.losses, "launches 1");
}

}  // namespace
}  // namespace aiflame::record
