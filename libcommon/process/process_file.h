// SPDX-License-Identifier: MIT
// Opens a file that a recorded process has mapped, as that process sees it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace aiflame {

// A regular file at a path that the kernel reported (PERF_RECORD_MMAP2, /proc/PID/maps: absolute,
// without links). The process may be in a container, so the path is looked up below the process's
// own root. It may also be hostile to a recorder that runs as root: it can put a link, a FIFO or a
// device in the file's place. These are refused: never followed, waited for or used.
class ProcessFile {
 public:
  // Looks in /proc/PID/root, or in our own root when the process has gone. Throws Error.
  ProcessFile(uint32_t pid, const std::string& path);
  // Looks below the directory `root`, and nowhere else. Throws Error.
  static ProcessFile below(int root, const std::string& path);
  ~ProcessFile();
  ProcessFile(const ProcessFile&) = delete;
  ProcessFile& operator=(const ProcessFile&) = delete;
  ProcessFile(ProcessFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

  int descriptor() const { return fd_; }
  // A path that opens this very file again, for readers that need one; valid while this object
  // lives.
  std::string path() const;

 private:
  ProcessFile() = default;
  void check(const std::string& path);

  int fd_ = -1;
};

}  // namespace aiflame
