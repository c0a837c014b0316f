// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/listen_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

namespace fs = std::filesystem;

class ListenDirectoryBelow : public testing::Test {
 protected:
  ListenDirectoryBelow() {
    mkdtemp(root_.data());
    fs::create_directories(root_ + "/run/agents");
    fs::permissions(root_ + "/run/agents", fs::perms::owner_all);
    fs::create_directory_symlink("run", root_ + "/link");
    fs::create_directory_symlink("agents", root_ + "/run/last");
    fd_.reset(open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~ListenDirectoryBelow() override { fs::remove_all(root_); }

  // "" where the directory is opened.
  std::string why_not(const std::string& path) {
    try {
      const ListenDirectory opened(fd_.get(), path);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::string root_ = testing::TempDir() + "aiflame-XXXXXX";
  Descriptor fd_;
};

TEST_F(ListenDirectoryBelow, IsOpenedThereAndNotAtItsPath) {
  const ListenDirectory opened(fd_.get(), "/run//agents/");
  EXPECT_EQ(opened.path(), "/run/agents");
  EXPECT_FALSE(opened.is_at_path());
  EXPECT_TRUE(fs::equivalent(opened.file("."), root_ + "/run/agents"));
}

TEST_F(ListenDirectoryBelow, FollowsNoLinkInAnyPart) {
  EXPECT_EQ(why_not("/link/agents"), "cannot open '/link': no directory, or a link");
  EXPECT_EQ(why_not("/run/last"), "cannot open '/run/last': no directory, or a link");
}

TEST_F(ListenDirectoryBelow, MakesNothing) {
  EXPECT_EQ(why_not("/run/missing"), "cannot open '/run/missing': No such file or directory");
  EXPECT_FALSE(fs::exists(root_ + "/run/missing"));
  const ListenDirectory opened(fd_.get(), "/run/agents");
  EXPECT_FALSE(opened.was_told(std::string(32, '0') + ":0:0:0:/run/agents"));
  EXPECT_TRUE(fs::is_empty(root_ + "/run/agents"));
}

TEST_F(ListenDirectoryBelow, StaysBelowItsRoot) {
  EXPECT_EQ(why_not("/../../etc"), "cannot open '/etc': No such file or directory");
}

TEST_F(ListenDirectoryBelow, RefusesOneThatOthersMayEnter) {
  fs::permissions(root_ + "/run/agents", fs::perms::group_exec, fs::perm_options::add);
  EXPECT_EQ(why_not("/run/agents"), "'/run/agents' is open to other users: chmod 0700 it");
}

}  // namespace
}  // namespace aiflame::record
