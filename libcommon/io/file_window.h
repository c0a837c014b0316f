// SPDX-License-Identifier: MIT
// A part of a file, mapped: what is not looked at is not copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame {

class FileWindow {
 public:
  FileWindow() = default;
  // `size` bytes of the file open as `fd`, from `offset` on, which is a multiple of kPage; all of
  // them are in the file. Without bytes where the system cannot do it.
  //
  // Where the file becomes shorter while it is mapped, reading behind its end raises SIGBUS, and so
  // does a disk that fails: from the first window on that ends the program with a message and exit
  // status 1.
  FileWindow(int fd, uint64_t offset, size_t size);
  ~FileWindow();
  FileWindow(FileWindow&& other) noexcept;
  FileWindow& operator=(FileWindow&& other) noexcept;

  // At least that of any system; a page of this one may be smaller, not larger.
  static constexpr uint64_t kPage = 65536;

  char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace aiflame
