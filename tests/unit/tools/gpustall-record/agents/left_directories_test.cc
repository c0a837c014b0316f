// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/left_directories.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "libcommon/base/descriptor.h"

namespace aiflame::record {
namespace {

namespace fs = std::filesystem;

class LeftDirectories : public testing::Test {
 protected:
  LeftDirectories() { mkdtemp(parent_.data()); }
  ~LeftDirectories() override { fs::remove_all(parent_); }

  std::string make(const std::string& name, time_t seconds_ago) {
    std::string path = parent_ + "/" + name;
    fs::create_directory(path);
    for (const char* file : {"agents", "missed"}) std::ofstream(path + "/" + file) << "";
    age(path, seconds_ago);
    return path;
  }
  static void age(const std::string& path, time_t seconds_ago) {
    const timespec then{std::time(nullptr) - seconds_ago, 0};
    const timespec times[2] = {then, then};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  std::string parent_ = testing::TempDir() + "left-XXXXXX";
};

TEST_F(LeftDirectories, ThoseOfKilledRecordersAreRemoved) {
  const std::string left = make("aiflame-left", 100);
  const std::string held = make("aiflame-held", 100);
  const std::string young = make("aiflame-young", 0);
  const std::string other = make("another-left", 100);
  Descriptor recorder(open((held + "/missed").c_str(), O_RDONLY | O_CLOEXEC));
  hold_directory(recorder.get());
  remove_left_directories(parent_.c_str());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(held + "/agents"));
  EXPECT_TRUE(fs::exists(young + "/agents"));
  EXPECT_TRUE(fs::exists(other + "/agents"));
  recorder.reset(-1);  // as when it is killed
  remove_left_directories(parent_.c_str());
  EXPECT_FALSE(fs::exists(held));
}

TEST_F(LeftDirectories, NothingBehindALinkAndNoOtherFileIsRemoved) {
  const std::string target = make("target", 100);
  fs::create_directory_symlink("target", parent_ + "/aiflame-link");
  const std::string with_more = make("aiflame-more", 100);
  std::ofstream(with_more + "/notes") << "mine";
  age(with_more, 100);
  std::ofstream(parent_ + "/aiflame-file") << "mine";
  remove_left_directories(parent_.c_str());
  EXPECT_TRUE(fs::exists(target + "/agents"));
  EXPECT_TRUE(fs::exists(with_more + "/notes"));
  EXPECT_TRUE(fs::exists(parent_ + "/aiflame-file"));
}

TEST_F(LeftDirectories, OfAnotherUserAreLeft) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const std::string others = make("aiflame-other", 100);
  ASSERT_EQ(chown(others.c_str(), 65534, 65534), 0);
  remove_left_directories(parent_.c_str());
  EXPECT_TRUE(fs::exists(others + "/agents"));
}

}  // namespace
}  // namespace aiflame::record
