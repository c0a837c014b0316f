// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/pipeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace aiflame::record {
namespace {

TEST(Pipeline, SamplesWhoseSliceNoAgentEndedAreInTheLastSlice) {
  const std::string path = testing::TempDir() + "pipeline_test." + std::to_string(getpid());
  constexpr uint64_t kOrigin = 1000000000;
  {
    Output out(path);
    GpustallWriter writer(out);
    Budgets budgets;
    Pipeline pipeline(writer, "gpu-stall", kOrigin, 0, "/nonexistent", budgets);
    pipeline.agents().accept_samples("test");
    pipeline.begin({});
    pipeline.set_time(kOrigin + 1000);
    agent_sample sample{};
    sample.count = 7;
    sample.exposed = 3;
    pipeline.agents().on_sample(1, sample);
    sample.count = 4;
    sample.exposed = 0;
    pipeline.agents().on_sample(2, sample);
    pipeline.write(kOrigin + 2000, true);
    pipeline.end(0);
    out.close();
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  unlink(path.c_str());
  for (const char* counted :
       {":          7 gpu-stall: ", ":          4 gpu-stall: ", ":          3 gpu-stall-exposed: "})
    EXPECT_NE(text.str().find(counted), std::string::npos) << text.str();
  EXPECT_EQ(text.str().find(" 0 gpu-stall-exposed: "), std::string::npos);
  EXPECT_NE(text.str().find("# end samples 11 launches 0 lost 0\n"), std::string::npos);
}

// A recording of many short processes: what the ended ones had reported is forgotten once it is
// written.
TEST(Pipeline, ProcessesThatHaveEndedTakeNoRoom) {
  constexpr uint64_t kOrigin = 1000000000, kSlice = 10000000;
  Output out("/dev/null");
  GpustallWriter writer(out);
  Budgets budgets;
  Pipeline pipeline(writer, "gpu-stall", kOrigin, kSlice, "/nonexistent", budgets);
  pipeline.begin({});
  uint64_t most = 0, now = kOrigin;
  for (uint32_t pid = 1 << 23; pid < (1 << 23) + 5000; ++pid, now += kSlice) {
    pipeline.set_time(now);
    AgentListener& agents = pipeline.agents();
    agents.on_connected(pid);
    agents.on_map(pid, 0x1000, 0x2000, 0, "/nowhere/program", true);
    AgentListener::Stack stack;
    stack.id = 1;
    stack.kernel = "scale";
    for (uint64_t i = 0; i < 30; ++i) stack.frames.push_back(0x1000 + i + (uint64_t{pid} << 16));
    agents.on_stack(pid, stack);
    agent_launch launch{};
    launch.id = 1;
    launch.instance = 1;
    launch.time = now;
    agents.on_launch(pid, launch);
    agents.on_gone(pid);
    pipeline.write(now, false);
    most = std::max(most, pipeline.budgets().used());
  }
  pipeline.write(now + kSlice, true);
  pipeline.end(0);
  EXPECT_LT(most, uint64_t{8} << 20);
  EXPECT_EQ(pipeline.totals().launches, 5000u);
  EXPECT_EQ(pipeline.totals().lost_launches, 0u);
}

}  // namespace
}  // namespace aiflame::record
