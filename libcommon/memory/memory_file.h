// SPDX-License-Identifier: MIT
// Bytes of our own as a file that has a path, for libraries that open one.
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
  // Good in this process while this object lives; what was opened by it stays open.
  std::string path() const;

 private:
  int fd_ = -1;
};

}  // namespace aiflame
