// SPDX-License-Identifier: MIT
#include "libcommon/memory/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame {

MemoryFile::MemoryFile(std::string_view bytes) : fd_(memfd_create("aiflame", MFD_CLOEXEC)) {
  while (fd_ >= 0 && !bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int why = errno;
      ::close(fd_);
      errno = why;
      fd_ = -1;
      break;
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  if (fd_ < 0) throw Error(format("no memory for a file: %s", std::strerror(errno)));
}

MemoryFile::~MemoryFile() {
  ::close(fd_);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(fd_);
}

}  // namespace aiflame
