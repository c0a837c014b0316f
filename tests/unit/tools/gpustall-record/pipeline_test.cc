// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/pipeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

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
    Pipeline pipeline(out, "gpu-stall", kOrigin, 0, "/nonexistent");
    pipeline.agents().accept_samples("test");
    pipeline.begin({});
    pipeline.set_time(kOrigin + 1000);
    agent_sample sample{};
    sample.count = 7;
    pipeline.agents().on_sample(1, sample);
    sample.count = 4;
    pipeline.agents().on_sample(2, sample);
    pipeline.write(kOrigin + 2000, true);
    pipeline.end(0);
    out.close();
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  unlink(path.c_str());
  for (const char* counted : {":          7 gpu-stall: ", ":          4 gpu-stall: "})
    EXPECT_NE(text.str().find(counted), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("# end samples 11 launches 0 lost 0\n"), std::string::npos);
}

}  // namespace
}  // namespace aiflame::record
