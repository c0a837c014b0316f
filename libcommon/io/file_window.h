// SPDX-License-Identifier: MIT
// A mapped part of a file: bytes that are not read are not copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame {

// What is written to a window stays in memory.
enum class FileWrites : uint8_t { forbidden, stay_in_memory };

class FileWindow {
 public:
  FileWindow() = default;
  // Maps `size` bytes of the file open as `fd` from `offset`, a multiple of kPage. All of them must
  // be in the file. bytes() is nullptr if the system cannot map it.
  //
  // If the file shrinks while it is mapped, reading past its end raises SIGBUS; so does a failing
  // disk. The first window installs a handler that ends the program with a message and exit status
  // 1.
  FileWindow(int fd, uint64_t offset, size_t size, FileWrites writes = FileWrites::forbidden);
  ~FileWindow();
  FileWindow(FileWindow&& other) noexcept;
  FileWindow& operator=(FileWindow&& other) noexcept;

  // No smaller than a page of any system.
  static constexpr uint64_t kPage = 65536;

  char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace aiflame
