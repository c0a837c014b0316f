// SPDX-License-Identifier: MIT
// Readers of FIFOs that a fake keeps waiting until its script releases them. They let programs and
// tests wait for a fake device without a clock.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <string>

class HeldReaders {
 public:
  HeldReaders() = default;
  ~HeldReaders() { release(); }
  HeldReaders(const HeldReaders&) = delete;
  HeldReaders& operator=(const HeldReaders&) = delete;

  // Whether the FIFO at `path` has a reader. From the first time that it has, the reader waits.
  bool hold(const std::string& path) {
    if (fds_.contains(path)) return true;
    // raw system calls, because open() and close() may be a fake's
    const auto fd = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (fd >= 0) fds_[path] = fd;
    return fd >= 0;
  }

  // All held readers read the end of their FIFO.
  void release() {
    for (const auto& [path, fd] : fds_) syscall(SYS_close, fd);
    fds_.clear();
  }

 private:
  std::map<std::string, int> fds_;
};
