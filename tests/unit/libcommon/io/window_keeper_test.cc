// SPDX-License-Identifier: MIT
#include "libcommon/io/window_keeper.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace aiflame {
namespace {

constexpr size_t kSize = FileWindow::kPage;

// A temporary file of windows, each filled with its own letter.
class WindowKeeperTest : public testing::Test {
 protected:
  WindowKeeperTest() : file_(std::tmpfile()) {
    for (size_t i = 0; i < kWindows; ++i) {
      const std::string page(kSize, letter(i));
      EXPECT_EQ(std::fwrite(page.data(), 1, page.size(), file_), page.size());
    }
    EXPECT_EQ(std::fflush(file_), 0);
  }
  ~WindowKeeperTest() override { std::fclose(file_); }
  WindowKeeperTest(const WindowKeeperTest&) = delete;
  WindowKeeperTest& operator=(const WindowKeeperTest&) = delete;

  static constexpr size_t kWindows = 100;  // many times the length of the keeper's queue
  static char letter(size_t number) { return static_cast<char>('a' + number % 26); }
  FileWindow window(size_t number) const {
    return FileWindow(fileno(file_), number * kSize, kSize);
  }

 private:
  std::FILE* file_;
};

TEST_F(WindowKeeperTest, WindowsAreReadWhileItBringsAndDropsThem) {
  WindowKeeper keeper;
  FileWindow next = window(0);
  for (size_t i = 0; i < kWindows; ++i) {
    FileWindow now = std::exchange(next, FileWindow());
    if (i + 1 < kWindows) {
      next = window(i + 1);
      keeper.bring(next);
    }
    ASSERT_NE(now.bytes(), nullptr);
    EXPECT_EQ(std::string(now.bytes(), kSize), std::string(kSize, letter(i)));
    keeper.drop(std::move(now));
  }
}

TEST_F(WindowKeeperTest, DroppedWindowsAreUnmapped) {
  std::vector<char*> places;
  {
    WindowKeeper keeper;
    for (size_t i = 0; i < kWindows; ++i) {
      FileWindow one = window(i);
      places.push_back(one.bytes());
      keeper.drop(std::move(one));
      EXPECT_EQ(one.bytes(), nullptr);  // NOLINT(*use-after-move,*cplusplus.Move): now empty
    }
  }
  // mincore() fails for a page that is not mapped
  for (char* place : places) {
    unsigned char resident = 0;
    EXPECT_NE(mincore(place, static_cast<size_t>(sysconf(_SC_PAGESIZE)), &resident), 0);
  }
}

TEST_F(WindowKeeperTest, AWindowMayOutliveTheKeeperThatBringsIt) {
  const FileWindow one = window(7);
  { WindowKeeper().bring(one); }
  EXPECT_EQ(one.bytes()[0], letter(7));
}

}  // namespace
}  // namespace aiflame
