// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/missing_agent.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::record {
namespace {

TEST(MissingAgent, OnlyWholeProgramsWithoutAnInterpreterAreStatic) {
  EXPECT_FALSE(is_statically_linked("/no/such/file"));
  EXPECT_FALSE(is_statically_linked("/proc/self/exe"));
  const auto path = std::filesystem::temp_directory_path() / "aiflame-missing-agent-test";
  std::ofstream(path) << "#!/bin/sh\n";
  EXPECT_FALSE(is_statically_linked(path));
  // this program up to its program headers
  std::string start(64, '\0');
  std::ifstream("/proc/self/exe", std::ios::binary).read(start.data(), 64);
  std::ofstream(path, std::ios::binary) << start;
  EXPECT_FALSE(is_statically_linked(path));
  std::filesystem::remove(path);
}

using Lines = std::vector<std::string>;

LoadedRuntime loaded(const char* interface, uint32_t pid, const char* comm, const char* lacks = "",
                     bool has_agent = false) {
  for (const AgentRuntime& runtime : agent_runtimes())
    if (std::string_view(runtime.interface) == interface)
      return {&runtime, pid, comm, lacks, false, has_agent};
  return {};
}

TEST(MissingAgent, NothingWasLoaded) {
  EXPECT_EQ(why_no_agent({}, {}),
            Lines{"no program loaded an agent: none of the processes used OpenCL, Level Zero or "
                  "CUDA"});
  EXPECT_EQ(why_no_agent({}, {{}, "", true}),
            Lines{"no program loaded an agent: none of the processes had used OpenCL, Level Zero "
                  "or CUDA by then"});
}

TEST(MissingAgent, WhatWasNotSeenIsNotDenied) {
  EXPECT_EQ(why_no_agent({}, {{}, "cannot open perf events: Permission denied", false}),
            Lines{"no program loaded an agent: whether one used OpenCL, Level Zero or CUDA was not "
                  "seen: cannot open perf events: Permission denied"});
}

TEST(MissingAgent, ARuntimeWithoutItsAgent) {
  EXPECT_EQ(why_no_agent({}, {{loaded("OpenCL", 7, "app", "OPENCL_LAYERS")}, "", false}),
            Lines{"app (7) loaded OpenCL, but not its agent: OPENCL_LAYERS had been changed or "
                  "removed on the way to it"});
  EXPECT_EQ(why_no_agent({}, {{loaded("CUDA", 7, "")}, "", false}),
            Lines{"process 7 loaded CUDA, but not its agent: it did not initialise it, or the "
                  "agent's file is not visible there"});
}

TEST(MissingAgent, WhatWasNotLookedAtMayBeTheReason) {
  LoadedRuntime ended = loaded("OpenCL", 7, "app");
  ended.has_ended = true;
  EXPECT_EQ(why_no_agent({}, {{ended}, "", false}),
            Lines{"app (7) loaded OpenCL, but not its agent: it called none of its functions, or "
                  "its version does not know OPENCL_LAYERS, or OPENCL_LAYERS had been changed or "
                  "removed on the way to it"});
}

TEST(MissingAgent, AnAgentThatDidNotReport) {
  EXPECT_EQ(why_no_agent({}, {{loaded("OpenCL", 7, "app", "", true)}, "", false}),
            Lines{"app (7) loaded the agent for OpenCL, which could not reach the recorder; see "
                  "'Who is recorded' in gpustall-launches(7)"});
  EXPECT_EQ(
      why_no_agent({}, {{loaded("Level Zero", 7, "app", "AIFLAME_AGENT", true)}, "", false}),
      Lines{"app (7) loaded the agent for Level Zero, which did not report: AIFLAME_AGENT had not "
            "reached the program"});
}

TEST(MissingAgent, OneReasonIsOneLine) {
  AgentSearch search;
  for (uint32_t pid = 1; pid <= 5; ++pid)
    search.loaded.push_back(loaded("CUDA", pid, "app", "CUDA_INJECTION64_PATH"));
  search.loaded.push_back(loaded("OpenCL", 1, "app", "", true));
  const Lines lines = why_no_agent({}, search);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("app (1), app (2), app (3) and 2 more loaded CUDA, but"));
}

TEST(MissingAgent, VariablesThatAProgramLacks) {
  const Environment given{{"AIFLAME_AGENT", "secret"},
                          {"OPENCL_LAYERS", "/theirs.so:/agents/opencl-agent.so"},
                          {"LD_LIBRARY_PATH", "/agents/level-zero"},
                          {"ZE_ENABLE_TRACING_LAYER", "1"}};
  const auto lacking = [&](const char* interface, const std::string& own) {
    return lacking_variable(*loaded(interface, 1, "").runtime, given, "/agents", own);
  };
  using namespace std::string_literals;
  EXPECT_EQ(
      lacking("OpenCL", "A=1\0AIFLAME_AGENT=secret\0OPENCL_LAYERS=/agents/opencl-agent.so:x\0"s),
      "");
  EXPECT_EQ(lacking("OpenCL", "AIFLAME_AGENT=secret\0OPENCL_LAYERS=/theirs.so\0"s),
            "OPENCL_LAYERS");
  EXPECT_EQ(lacking("OpenCL", "AIFLAME_AGENT=secret"), "OPENCL_LAYERS");
  EXPECT_EQ(lacking("OpenCL", ""), "AIFLAME_AGENT");
  EXPECT_EQ(
      lacking("Level Zero", "AIFLAME_AGENT=secret\0LD_LIBRARY_PATH=/agents/level-zero:/opt\0"s),
      "ZE_ENABLE_TRACING_LAYER");
  // set by the user before, so that this agent is not loaded at all
  EXPECT_EQ(lacking("CUDA", "AIFLAME_AGENT=secret"), "");
}

}  // namespace
}  // namespace aiflame::record
