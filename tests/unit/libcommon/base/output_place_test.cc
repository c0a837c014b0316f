// SPDX-License-Identifier: MIT
#include "libcommon/base/output_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"

namespace aiflame {
namespace {

namespace fs = std::filesystem;

class OutputPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(directory_);
    fs::create_directories(directory_ / "elsewhere");
    std::ofstream(victim_) << "content";
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string path(const char* name) const { return directory_ / name; }
  std::string failure(const char* name, Planted planted = Planted::refused) const {
    try {
      Output(path(name), Output::Existing::truncated, Output::Readers::by_umask, planted).close();
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find(": ") + 2);
    }
    return "";
  }

  const fs::path directory_ =
      fs::temp_directory_path() / ("aiflame-output-place-" + std::to_string(getpid()));
  const fs::path victim_ = directory_ / "elsewhere/victim";
};

TEST_F(OutputPlaceTest, LinksAndHardLinksAreRefused) {
  fs::create_symlink(victim_, path("link"));
  fs::create_symlink(directory_ / "elsewhere/new", path("dangling"));
  fs::create_hard_link(victim_, path("hard"));
  EXPECT_EQ(failure("link"), "it is a link, which is not followed");
  EXPECT_EQ(failure("dangling"), "it is a link, which is not followed");
  EXPECT_EQ(failure("hard"), "it is a hard link");
  EXPECT_EQ(read_text(victim_, 100), "content");
  EXPECT_FALSE(fs::exists(directory_ / "elsewhere/new"));
}

TEST_F(OutputPlaceTest, WhatIsReplacedLosesItsNameAlone) {
  fs::create_symlink(victim_, path("link"));
  fs::create_hard_link(victim_, path("hard"));
  for (const char* name : {"link", "hard"}) {
    EXPECT_EQ(failure(name, Planted::replaced), "");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path(name))));
    EXPECT_EQ(fs::file_size(path(name)), 0u);
  }
  EXPECT_EQ(read_text(victim_, 100), "content");
  // no unfinished file is left
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 3);
}

TEST_F(OutputPlaceTest, LinksOfThisUserAndRootLeadToDirectoriesAndDevices) {
  fs::create_symlink("elsewhere", path("way"));
  fs::create_symlink("/dev/null", path("null"));
  fs::create_symlink("null", path("null2"));
  EXPECT_EQ(failure("way/../way/out"), "");
  EXPECT_TRUE(fs::exists(directory_ / "elsewhere/out"));
  EXPECT_EQ(failure("null2"), "");
  EXPECT_TRUE(fs::is_symlink(path("null2")));
}

TEST_F(OutputPlaceTest, LinksThatLeadToThemselvesEnd) {
  fs::create_symlink("round", path("round"));
  EXPECT_EQ(failure("round/out"), "Too many levels of symbolic links");
  EXPECT_EQ(failure("round"), "it is a link, which is not followed");
}

TEST_F(OutputPlaceTest, OtherFailuresAreTheKernels) {
  EXPECT_EQ(failure("missing/out"), "No such file or directory");
  EXPECT_EQ(failure("elsewhere"), "Is a directory");
  EXPECT_EQ(failure("elsewhere/"), "Is a directory");
  EXPECT_EQ(failure("elsewhere/victim/out"), "Not a directory");
}

TEST_F(OutputPlaceTest, DirectoriesAreMadeWhereTheyAreMissing) {
  make_output_directory(path("a/b/../c/"));
  EXPECT_TRUE(fs::is_directory(directory_ / "a/c"));
  make_output_directory(path("a/c"));
  try {
    make_output_directory(victim_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "cannot make directory '" + victim_.string() + "': Not a directory");
  }
}

TEST_F(OutputPlaceTest, OneProgramClaimsAFile) {
  std::ofstream(path("out")) << "older";
  {
    Output one(path("out"), Output::Existing::kept_until_written);
    one.claim();
    Output other(path("out"), Output::Existing::kept_until_written);
    EXPECT_THROW(other.claim(), Error);
    EXPECT_EQ(read_text(path("out"), 100), "older");
    // what has another name by now is not claimed either
    fs::rename(path("out"), path("whole"));
    one.close();
    EXPECT_THROW(other.claim(), Error);
  }
  EXPECT_TRUE(fs::exists(path("whole")));
  Output null("/dev/null");
  null.claim();
  Output(std::string("/dev/null")).claim();
}

}  // namespace
}  // namespace aiflame
