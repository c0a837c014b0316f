// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/missing_parts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace aiflame::record {
namespace {

class MissingParts : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "missing_parts." + std::to_string(getpid());
    std::filesystem::create_directories(directory_);
    for (const char* name : {"cupti", "cupti-agent", "level-zero", "level-zero-agent",
                             "opencl-agent", "opencl-cpu", "xe"})
      std::ofstream(directory_ + "/" + name + ".so");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  void remove(const std::string& name) { std::filesystem::remove(directory_ + "/" + name); }

  std::string directory_;
};

TEST_F(MissingParts, AWholeInstallationLacksNothing) {
  EXPECT_TRUE(left_out_parts(directory_).empty());
}

TEST_F(MissingParts, SourcesAndAgentsAreNamedWithTheCure) {
  remove("cupti.so");
  remove("cupti-agent.so");
  remove("level-zero-agent.so");
  remove("xe.so");
  EXPECT_EQ(left_out_parts(directory_),
            (std::vector<std::string>{
                "cupti        source and agent are left out of this build: CUPTI's headers were "
                "missing; install cuda-cupti-dev of the CUDA toolkit, or nvidia-cuda-cupti by pip, "
                "and build again",
                "level-zero   the agent is left out of this build: Level Zero's headers were "
                "missing; as root: apt install libze-dev; and build again",
                "xe           the source is left out of this build: build and install it again"}));
}

TEST(MissingLibrary, IsNamedWithItsPackage) {
  const std::string rest = ": cannot open shared object file: No such file or directory";
  EXPECT_EQ(describe_missing_library("libelf.so.1" + rest),
            "libelf.so.1 is missing; as root: apt install libelf1");
  EXPECT_EQ(describe_missing_library("libfoo.so.3" + rest), "libfoo.so.3 is missing");
  for (const std::string& other :
       {std::string(), std::string("x.so: undefined symbol: f"),
        std::string("x.so: cannot open shared object file: Permission denied")})
    EXPECT_EQ(describe_missing_library(other), "") << other;
}

}  // namespace
}  // namespace aiflame::record
