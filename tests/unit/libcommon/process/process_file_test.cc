// SPDX-License-Identifier: MIT
#include "libcommon/process/process_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

class ProcessFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/process_file.XXXXXX";
    directory_ = std::filesystem::canonical(mkdtemp(name)).string();
    std::ofstream(directory_ + "/file") << "content";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string directory_;
};

TEST_F(ProcessFileTest, OpensAFileOfAProcess) {
  const ProcessFile file(static_cast<uint32_t>(getpid()), directory_ + "/file");
  std::string content;
  std::ifstream(file.path()) >> content;
  EXPECT_EQ(content, "content");
}

TEST_F(ProcessFileTest, OpensAFileOfAProcessThatHasGone) {
  EXPECT_NO_THROW(ProcessFile(0x7ffffffe, directory_ + "/file"));
}

TEST_F(ProcessFileTest, FollowsNoLink) {
  symlink("/etc/passwd", (directory_ + "/link").c_str());
  symlink(directory_.c_str(), (directory_ + "/directory").c_str());
  const auto pid = static_cast<uint32_t>(getpid());
  EXPECT_THROW(ProcessFile(pid, directory_ + "/link"), Error);
  EXPECT_THROW(ProcessFile(pid, directory_ + "/directory/file"), Error);
}

TEST_F(ProcessFileTest, WaitsForNoFifoAndOpensNoDevice) {
  mkfifo((directory_ + "/fifo").c_str(), 0600);
  const auto pid = static_cast<uint32_t>(getpid());
  EXPECT_THROW(ProcessFile(pid, directory_ + "/fifo"), Error);
  EXPECT_THROW(ProcessFile(pid, "/dev/zero"), Error);
  EXPECT_THROW(ProcessFile(pid, directory_), Error);
}

}  // namespace
}  // namespace aiflame
