// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/flight_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A recorder of a whole machine runs for days, and each part begins with who the processes are.
TEST(FlightWriter, PartsHaveTheLinesOfTheLastProcesses) {
  std::string directory = testing::TempDir() + "flight_writer.XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const std::string path = directory + "/r";
  {
    FlightWriter writer(FlightOptions(), path, FlightWriter::Times::replayed);
    writer.begin();
    GpustallOrigin busy{"busy", 1, 1, 0, 5};
    writer.header("process 1 : uid 1000");
    for (uint32_t pid = 2; pid <= 100000; ++pid) {
      writer.header(format("process %u : uid 1000", pid));
      if (pid % 1000 == 0) writer.launch(pid, busy, {});
    }
    writer.dump(10);
    writer.end();
  }
  const std::string last = contents(path);
  EXPECT_NE(last.find("# process 1 :"), std::string::npos);
  EXPECT_EQ(last.find("# process 2 :"), std::string::npos);
  EXPECT_NE(last.find("# process 96000 :"), std::string::npos);
  EXPECT_NE(last.find("# process 100000 :"), std::string::npos);
  EXPECT_LT(last.size(), 400000U);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace aiflame::record
