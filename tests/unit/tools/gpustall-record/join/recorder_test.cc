// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace aiflame::record {
namespace {

TEST(Recorder, SamplesThatAnAgentHasNotDrainedAreInTheRecordingsEnd) {
  const std::string path = testing::TempDir() + "recorder_test." + std::to_string(getpid());
  constexpr uint64_t kOrigin = 1000000000;
  {
    Output out(path);
    Recorder recorder(out, "gpu-stall", kOrigin, 0, "/nonexistent");
    recorder.take_samples_of_agents("test");
    recorder.begin({});
    recorder.tick(kOrigin + 1000);
    agent_sample sample{};
    sample.count = 7;
    recorder.on_sample(1, sample);
    sample.count = 4;
    recorder.on_sample(2, sample);
    recorder.write(kOrigin + 2000, true);
    recorder.end();
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
