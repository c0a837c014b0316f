// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/missing_agent.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

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

TEST(MissingAgent, WithoutACommandTheHintIsTheUsualOne) {
  EXPECT_EQ(why_no_agent({}),
            "no program loaded an agent: none of the processes used OpenCL, Level Zero or CUDA");
}

}  // namespace
}  // namespace aiflame::record
