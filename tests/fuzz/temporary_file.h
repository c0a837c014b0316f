// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace aiflame::fuzz {

// SQLite wants a path that it can resolve: a file in memory has none.
class TemporaryFile {
 public:
  TemporaryFile() : fd_(mkstemp(path_)) {
    if (fd_ < 0) abort();
  }
  ~TemporaryFile() {
    close(fd_);
    unlink(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void set(const uint8_t* data, size_t size) {
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, data, size, 0) != static_cast<ssize_t>(size)) abort();
  }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/fuzz-XXXXXX";
  int fd_;
};

}  // namespace aiflame::fuzz
