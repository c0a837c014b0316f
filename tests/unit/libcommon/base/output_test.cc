// SPDX-License-Identifier: MIT
#include "libcommon/base/output.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

class OutputFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }
  bool exists() const { return std::filesystem::exists(path_); }
  std::string content() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("aiflame-output-" + std::to_string(getpid()));
};

TEST_F(OutputFile, AFileThatIsNeverWrittenToIsNotLeftBehind) {
  {
    Output out(path_);
    EXPECT_TRUE(exists());
    out.write("lost");
  }
  EXPECT_FALSE(exists());
}

TEST_F(OutputFile, AFileThatTookItsPlaceIsKept) {
  {
    const Output out(path_);
    std::filesystem::remove(path_);
    std::ofstream(path_) << "other";
  }
  EXPECT_EQ(content(), "other");
}

TEST_F(OutputFile, AFirstWriteThatFailsLeavesNoFile) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  {
    Output out(path_);
    out.write("lost");
    EXPECT_THROW(out.close(), Error);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_FALSE(exists());
}

TEST_F(OutputFile, AnEmptyResultIsAFile) {
  {
    Output out(path_);
    out.close();
  }
  EXPECT_TRUE(exists());
}

TEST_F(OutputFile, AnOlderFileStaysUntilItIsWrittenTo) {
  std::ofstream(path_) << "older";
  { const Output out(path_, Output::Existing::kept_until_written); }
  EXPECT_EQ(content(), "older");
  {
    Output out(path_, Output::Existing::kept_until_written);
    out.write("new");
    out.flush();
  }
  EXPECT_EQ(content(), "new");
}

}  // namespace
}  // namespace aiflame
