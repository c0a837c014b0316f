// SPDX-License-Identifier: MIT
#include "libcommon/io/file_window.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace aiflame {
namespace {

// A temporary file of three pages of FileWindow::kPage bytes, each filled with its own letter.
class FileWindowTest : public testing::Test {
 protected:
  FileWindowTest() : file_(std::tmpfile()) {
    for (const char letter : {'a', 'b', 'c'}) {
      const std::string page(FileWindow::kPage, letter);
      EXPECT_EQ(std::fwrite(page.data(), 1, page.size(), file_), page.size());
    }
    EXPECT_EQ(std::fflush(file_), 0);
  }
  ~FileWindowTest() override { std::fclose(file_); }
  FileWindowTest(const FileWindowTest&) = delete;
  FileWindowTest& operator=(const FileWindowTest&) = delete;

  int fd() const { return fileno(file_); }

 private:
  std::FILE* file_;
};

TEST_F(FileWindowTest, ShowsTheFileFromItsOffsetOn) {
  const FileWindow window(fd(), FileWindow::kPage, FileWindow::kPage + 10);
  ASSERT_NE(window.bytes(), nullptr);
  EXPECT_EQ(window.bytes()[0], 'b');
  EXPECT_EQ(window.bytes()[FileWindow::kPage - 1], 'b');
  EXPECT_EQ(window.bytes()[FileWindow::kPage], 'c');
}

TEST_F(FileWindowTest, IsMovedWithItsBytes) {
  FileWindow one(fd(), 0, FileWindow::kPage);
  const char* bytes = one.bytes();
  FileWindow other(std::move(one));
  EXPECT_EQ(other.bytes(), bytes);
  EXPECT_EQ(one.bytes(), nullptr);  // NOLINT(*use-after-move,*cplusplus.Move): now empty
  one = std::move(other);
  EXPECT_EQ(one.bytes()[0], 'a');
}

TEST_F(FileWindowTest, HasNoBytesWhenMappingFails) {
  EXPECT_EQ(FileWindow(-1, 0, FileWindow::kPage).bytes(), nullptr);
}

TEST_F(FileWindowTest, AFileThatBecomesShorterEndsTheProgramWithAMessage) {
  const FileWindow window(fd(), 0, 3 * FileWindow::kPage);
  ASSERT_EQ(ftruncate(fd(), 100), 0);
  EXPECT_EQ(window.bytes()[99], 'a');
  // volatile: the compiler must not drop the read
  const volatile char* behind = window.bytes() + 2 * FileWindow::kPage;
  EXPECT_EXIT(static_cast<void>(*behind), testing::ExitedWithCode(1),
              ": /.*: cannot be read on: it has become shorter");
}

}  // namespace
}  // namespace aiflame
