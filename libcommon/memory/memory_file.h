// SPDX-License-Identifier: MIT
// Bytes in memory as a file with a path, for libraries that only open paths.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

class MemoryFile {
 public:
  // Throws Error.
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return fd_; }
  // Valid in this process as long as this object; files opened by it stay open.
  std::string path() const;

 private:
  int fd_ = -1;
};

}  // namespace aiflame
