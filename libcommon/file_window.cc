// SPDX-License-Identifier: MIT
#include "libcommon/file_window.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "libcommon/program.h"

namespace aiflame {
namespace {

// Of a signal handler: nothing but system calls.
void say_and_exit(int) {
  const auto write_text = [](const char* text) {
    // there is nobody left to tell that it failed
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text, std::strlen(text));
  };
  write_text(program_name());
  write_text(": a file cannot be read on: it has become shorter, or its disk has failed\n");
  _exit(1);
}

void expect_shorter_files() {
  static const bool once = [] {
    struct sigaction action {};
    action.sa_handler = say_and_exit;
    return sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace

FileWindow::FileWindow(int fd, uint64_t offset, size_t size) {
  expect_shorter_files();
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(offset));
  if (bytes == MAP_FAILED) return;
  bytes_ = static_cast<char*>(bytes);
  size_ = size;
}

FileWindow::~FileWindow() {
  if (bytes_ != nullptr) munmap(bytes_, size_);
}

FileWindow::FileWindow(FileWindow&& other) noexcept
    : bytes_(std::exchange(other.bytes_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FileWindow& FileWindow::operator=(FileWindow&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace aiflame
