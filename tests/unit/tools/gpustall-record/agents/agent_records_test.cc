// SPDX-License-Identifier: MIT
// Records of agents that are the source of samples: written by the agents' side of the channel,
// read by the recorder's, or refused.
#include "tools/gpustall-record/agents/agent_records.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "plugins/agents/common/channel.h"
#include "tools/gpustall-record/agents/agent_host.h"

namespace aiflame::record {
namespace {

struct Reports : AgentListener {
  std::vector<std::string> said;
  std::vector<agent_sample> samples;
  std::vector<std::string> front;
  void say(std::string text) { said.push_back(std::move(text)); }
  void on_connected(uint32_t) override {}
  void on_device(uint32_t, uint32_t, std::string_view) override {}
  void on_map(uint32_t, uint64_t, uint64_t, uint64_t, std::string_view, bool) override {}
  void on_stack(uint32_t, const Stack& stack) override {
    for (const NamedFrame& frame : stack.front)
      front.push_back(std::string(frame.symbol) + " " + std::string(frame.object));
  }
  void on_launch(uint32_t, const agent_launch&) override {}
  void on_done(uint32_t, const agent_done&) override {}
  void on_launches(uint32_t, const agent_launches&) override {}
  void on_load(uint32_t, const agent_code& code, const ObjectContent& content) override {
    say("load " + std::to_string(code.base) + " " + code.extension + " " +
        std::string(content.view()));
  }
  void on_unload(uint32_t, const agent_code&) override {}
  void on_lost(uint32_t, uint64_t) override {}
  void on_gone(uint32_t) override {}
  void on_sampling(uint32_t, uint32_t device, uint64_t period, std::string_view unit,
                   std::string_view name) override {
    say("sampling " + std::to_string(device) + " " + std::to_string(period) + " " +
        std::string(unit) + " " + std::string(name));
  }
  void on_reason(uint32_t, uint32_t number, std::string_view name) override {
    say("reason " + std::to_string(number) + " " + std::string(name));
  }
  void on_sample(uint32_t, const agent_sample& sample) override { samples.push_back(sample); }
  void on_lost_samples(uint32_t, uint32_t device, uint64_t count) override {
    say("lost " + std::to_string(device) + " " + std::to_string(count));
  }
  void on_drained(uint32_t, uint64_t time) override { say("drained " + std::to_string(time)); }
  void on_message(uint32_t, std::string_view text, bool is_hint) override {
    say((is_hint ? "hint " : "warning ") + std::string(text));
  }
};

void connect_to(const AgentHost& host) {
  setenv(AGENT_ENVIRONMENT, host.address().c_str(), 1);
  ASSERT_TRUE(agent::connect("test", nullptr));
}

TEST(AgentRecords, ReportsOfASourceArriveWhole) {
  AgentHost host;
  connect_to(host);
  agent::report_sampling(1, 2048, "cycles", "Some GPU");
  EXPECT_TRUE(agent::report_reason(7, "wait"));
  agent::report_sample({0x1234, 99, 5, 2, 1, 7, 0});
  agent::report_sample({0, 0, 4, 0, 1, 0, AGENT_FOREIGN});
  agent::report_lost_samples(1, 3);
  agent::report_lost_samples(1, AGENT_MAX_LOST);
  agent::report_drained(42);
  agent::report_message("no samples: so it is", false);
  agent::report_message("do that", true);
  EXPECT_NE(agent::report_load_at("cubin", 5, 1, 4096, "cubin"), 0u);
  Reports got;
  host.drain(got);
  const std::vector<std::string> expected{
      "sampling 1 2048 cycles Some GPU",
      "reason 7 wait",
      "lost 1 3",
      "lost 1 18446744073709551615",
      "drained 42",
      "warning no samples: so it is",
      "hint do that",
      "load 4096 cubin cubin",
  };
  EXPECT_EQ(got.said, expected);
  ASSERT_EQ(got.samples.size(), 2u);
  EXPECT_EQ(got.samples[0].record.flags, 0u);
  EXPECT_EQ(got.samples[0].address, 0x1234u);
  EXPECT_EQ(got.samples[0].stack, 99u);
  EXPECT_EQ(got.samples[0].count, 5u);
  EXPECT_EQ(got.samples[0].exposed, 2u);
  EXPECT_EQ(got.samples[0].reason, 7u);
  EXPECT_EQ(got.samples[1].count, 4u);
  EXPECT_EQ(got.samples[1].record.flags, AGENT_FOREIGN);
}

TEST(AgentRecords, NamedFramesStandInFront) {
  AgentHost host;
  connect_to(host);
  constexpr char kFront[] = "cudaLaunchKernel\0[cuda]\0forward\0[nvtx]";
  agent::Launch launch{};
  launch.kernel_name = "scale";
  launch.kernel_name_bytes = 5;
  launch.front = kFront;
  launch.front_bytes = sizeof kFront;
  const agent::Launched one = agent::report_launch(launch);
  launch.front_bytes = sizeof "cudaLaunchKernel\0[cuda]";
  EXPECT_NE(agent::report_launch(launch).stack, one.stack);
  Reports got;
  host.drain(got);
  const std::vector<std::string> expected{"cudaLaunchKernel [cuda]", "forward [nvtx]",
                                          "cudaLaunchKernel [cuda]"};
  EXPECT_EQ(got.front, expected);
}

TEST(AgentRecords, SamplesThatFindTheRingFullAreCounted) {
  AgentHost host;
  connect_to(host);
  constexpr uint64_t kMade = 300000;
  for (uint64_t i = 0; i < kMade; ++i) agent::report_sample({i, 0, 2, 0, 1, 1, 0});
  Reports got;
  host.drain(got);
  ASSERT_EQ(got.said.size(), 1u);
  EXPECT_LT(got.samples.size(), kMade);
  EXPECT_EQ(got.said[0], "lost 0 " + std::to_string((kMade - got.samples.size()) * 2));
}

template <typename Record>
bool is_reported(Record record, uint16_t type, uint32_t bytes = sizeof(Record)) {
  record.record = {bytes, type, 0};
  ThreadNumbers threads(static_cast<uint32_t>(getpid()));
  const AgentRecordOrigin origin{1, threads, [](uint64_t) { return ObjectContent(); }};
  Reports got;
  char room[AGENT_MAX_RECORD] = {};
  std::memcpy(room, &record, sizeof record);
  return report_agent_record(origin, got, room, bytes);
}

TEST(AgentRecords, RecordsThatMakeNoSenseAreRefused) {
  EXPECT_TRUE(is_reported(agent_sample{}, AGENT_SAMPLE));
  EXPECT_FALSE(is_reported(agent_sample{}, AGENT_SAMPLE, sizeof(agent_sample) - 8));
  agent_sample many{};
  many.count = 3;
  many.exposed = 4;
  EXPECT_FALSE(is_reported(many, AGENT_SAMPLE));
  agent_sample strange{};
  strange.reason = AGENT_MAX_REASONS;
  EXPECT_FALSE(is_reported(strange, AGENT_SAMPLE));
  agent_reason reason{};
  reason.number = AGENT_MAX_REASONS;
  EXPECT_FALSE(is_reported(reason, AGENT_REASON));
  EXPECT_FALSE(is_reported(agent_reason{}, AGENT_REASON, 16));
  agent_lost lost{};
  lost.count = UINT64_MAX;
  EXPECT_TRUE(is_reported(lost, AGENT_LOST));
  lost.count = uint64_t{1} << 60;
  EXPECT_FALSE(is_reported(lost, AGENT_LOST));
  EXPECT_FALSE(is_reported(agent_drained{}, AGENT_DRAINED, 8));
  EXPECT_FALSE(is_reported(agent_message{}, AGENT_MESSAGE, 16));
  EXPECT_FALSE(is_reported(agent_sampling{}, AGENT_SAMPLING, 16));
}

TEST(AgentRecords, FramesInFrontEndWithTheirRecord) {
  agent_stack stack{};
  stack.front_bytes = 8;
  // followed by zeros: four pairs of empty strings
  EXPECT_TRUE(is_reported(stack, AGENT_STACK, sizeof stack + 8));
  EXPECT_FALSE(is_reported(stack, AGENT_STACK, sizeof stack));
  stack.front_bytes = 7;  // a symbol without its object
  EXPECT_FALSE(is_reported(stack, AGENT_STACK, sizeof stack + 8));
  stack.front_bytes = AGENT_MAX_FRONT + 2;
  EXPECT_FALSE(is_reported(stack, AGENT_STACK, AGENT_MAX_RECORD));
}

}  // namespace
}  // namespace aiflame::record
