// SPDX-License-Identifier: MIT
// Opens what a recorded process has mapped, as that process sees it.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame {

// A regular file at a path as the kernel told it (PERF_RECORD_MMAP2, /proc/PID/maps: absolute,
// without links). The process may be in a container, and it may be hostile to a recorder that runs
// as root: the path is looked up below the process's own root, and a link, FIFO or device that was
// put in the file's place is refused rather than followed, opened or waited for.
class ProcessFile {
 public:
  // Looks in /proc/PID/root, or in our own root when the process has gone. Throws Error.
  ProcessFile(uint32_t pid, const std::string& path);
  ~ProcessFile();
  ProcessFile(const ProcessFile&) = delete;
  ProcessFile& operator=(const ProcessFile&) = delete;

  int descriptor() const { return fd_; }
  // Opens this very file again, for readers that want a path; good while this object lives.
  std::string path() const;

 private:
  int fd_ = -1;
};

}  // namespace aiflame
