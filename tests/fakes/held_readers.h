// SPDX-License-Identifier: MIT
// Readers of FIFOs that a fake keeps waiting until its script releases them. They let programs and
// tests wait for a fake device without a clock. Several devices may hold one FIFO: its reader goes
// on when the last of them releases it, and none does before all have held it.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <string>

class HeldReaders {
 public:
  HeldReaders() = default;
  ~HeldReaders() { close_all(); }
  HeldReaders(const HeldReaders&) = delete;
  HeldReaders& operator=(const HeldReaders&) = delete;

  // The device's script has a hold: nothing is released before it is reached.
  void expect() {
    if (!expected_) ++awaited;
    expected_ = true;
  }

  // Whether the FIFO at `path` has a reader. From the first time that it has, the reader waits.
  bool hold(const std::string& path) {
    if (fds_.contains(path)) return true;
    // raw system calls, because open() and close() may be a fake's
    const auto fd = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0) return false;
    fds_[path] = fd;
    if (expected_) --awaited;
    expected_ = false;
    return true;
  }

  // The held readers read the end of their FIFO. Returns false while another device has yet to hold
  // its first one.
  bool release() {
    if (awaited > 0) return false;
    close_all();
    return true;
  }

 private:
  void close_all() {
    for (const auto& [path, fd] : fds_) syscall(SYS_close, fd);
    fds_.clear();
  }

  static inline std::atomic<int> awaited{0};  // devices of this process that have yet to hold one
  bool expected_ = false;
  std::map<std::string, int> fds_;
};
