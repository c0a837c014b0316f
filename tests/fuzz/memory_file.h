// SPDX-License-Identifier: MIT
// A file in memory that has a path, which the readers can open.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace aiflame::fuzz {

class MemoryFile {
 public:
  MemoryFile()
      : fd_(memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    if (fd_ < 0) abort();
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set(std::string_view bytes, std::string_view more = "") {
    const auto size = static_cast<ssize_t>(bytes.size());
    const auto more_size = static_cast<ssize_t>(more.size());
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, bytes.data(), bytes.size(), 0) != size ||
        pwrite(fd_, more.data(), more.size(), size) != more_size)
      abort();
  }
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

}  // namespace aiflame::fuzz
