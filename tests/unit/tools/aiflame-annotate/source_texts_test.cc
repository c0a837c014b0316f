// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/source_texts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace aiflame::annotate {
namespace {

namespace fs = std::filesystem;

struct Tree {
  Tree() {
    fs::create_directories(root / "src/deep");
    std::ofstream(root / "src/a.cl") << "one\r\n\ntwo";
    std::ofstream(root / "src/deep/b.cl") << "end\n";
    std::ofstream(root / "empty.cl");
  }
  ~Tree() { fs::remove_all(root); }
  const fs::path root = fs::path(testing::TempDir()) / "source_texts_test";
};

TEST(SourceTexts, Lines) {
  const Tree tree;
  SourceTexts sources({tree.root});
  const std::string file = tree.root / "src/a.cl";
  EXPECT_EQ(sources.line(file, 1), "one");
  EXPECT_EQ(sources.line(file, 2), "");
  EXPECT_EQ(sources.line(file, 3), "two");
  for (const uint64_t none : {uint64_t{0}, uint64_t{4}, UINT64_MAX})
    EXPECT_EQ(sources.line(file, none), std::nullopt);
  EXPECT_EQ(sources.line(tree.root / "src/deep/b.cl", 1), "end");
  EXPECT_EQ(sources.line(tree.root / "src/deep/b.cl", 2), std::nullopt);
  EXPECT_TRUE(sources.missing().empty());
  EXPECT_EQ(sources.line("", 1), std::nullopt);
}

TEST(SourceTexts, APrefixReplacesLeadingDirectories) {
  const Tree tree;
  SourceTexts sources({"/nonexistent", tree.root});
  EXPECT_EQ(sources.line("/build/src/deep/b.cl", 1), "end");
  EXPECT_EQ(sources.line("/build/x/../src/a.cl", 1), "one");
  EXPECT_EQ(sources.line("src/a.cl", 1), "one");
}

TEST(SourceTexts, WhatIsNoSourceIsMissing) {
  const Tree tree;
  SourceTexts sources({tree.root});
  const std::vector<std::string> names = {
      "/nonexistent/c.cl",     "/dev/zero", "/", "src", "../src", std::string(100000, '/'),
      std::string(100000, 'x')};
  for (const std::string& none : names) EXPECT_EQ(sources.line(none, 1), std::nullopt);
  EXPECT_EQ(sources.line(tree.root / "empty.cl", 1), std::nullopt);
  EXPECT_EQ(sources.missing().count("/nonexistent/c.cl"), 1u);
}

TEST(SourceTexts, OnlyWhatIsBelowAPrefixIsRead) {
  const Tree tree;
  SourceTexts sources({tree.root / "src/deep"});
  fs::create_symlink("../a.cl", tree.root / "src/deep/out.cl");
  fs::create_symlink("src/deep/b.cl", tree.root / "in.cl");
  EXPECT_EQ(sources.line(tree.root / "src/deep/b.cl", 1), "end");
  EXPECT_EQ(sources.line(tree.root / "in.cl", 1), "end");
  EXPECT_TRUE(sources.outside().empty());
  const std::string outside = fs::canonical(tree.root / "src/a.cl");
  for (const fs::path& path :
       {tree.root / "src/a.cl", tree.root / "src/deep/out.cl", tree.root / "src/deep/../a.cl"})
    EXPECT_EQ(sources.line(path, 1), std::nullopt);
  EXPECT_EQ(sources.outside(), std::set<std::string>{outside});
  EXPECT_TRUE(sources.missing().empty());
}

TEST(SourceTexts, NothingOfTheKernelIsASource) {
  SourceTexts sources({"/", "/proc"});
  for (const char* path : {"/proc/self/environ", "/proc/self/status", "/sys/kernel/mm/ksm/run"})
    EXPECT_EQ(sources.line(path, 1), std::nullopt);
}

TEST(SourceTexts, TheDirectoryOfMost) {
  EXPECT_EQ(directory_of_most({"/a/b/c.cu"}), "/a/b");
  EXPECT_EQ(directory_of_most({"/a/b/c.cu", "/a/d/e.cu"}), "/a");
  EXPECT_EQ(directory_of_most({"/a/b/c.cu", "/a/d/e.cu", "/etc/shadow"}), "/a");
  EXPECT_EQ(directory_of_most({"/a/c.cu", "/b/d.cu", "/b/e.cu", "/c/f.cu"}), "/b");
  EXPECT_EQ(directory_of_most({"/c.cu"}), "");
}

}  // namespace
}  // namespace aiflame::annotate
