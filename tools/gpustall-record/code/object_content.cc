// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/object_content.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace aiflame::record {

// Only a memfd has seals, and a memfd is memory: reading any other file might block for ever. The
// write seal keeps the bytes as they are while they are read, and the other one keeps them there:
// touching the end of a file that became shorter would raise SIGBUS.
ObjectContent::ObjectContent(int fd, uint64_t bytes) : fd_(fd) {
  constexpr int kNeeded = F_SEAL_WRITE | F_SEAL_SHRINK;
  struct stat status {};
  const int seals = fcntl(fd, F_GET_SEALS);
  if (bytes == 0 || seals < 0 || (seals & kNeeded) != kNeeded || fstat(fd, &status) != 0 ||
      status.st_size != static_cast<off_t>(bytes))
    return;
  void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return;
  base_ = static_cast<char*>(mapped);
  bytes_ = bytes;
}

ObjectContent::~ObjectContent() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (fd_ >= 0) close(fd_);
}

ObjectContent::ObjectContent(ObjectContent&& other) noexcept {
  *this = std::move(other);
}

ObjectContent& ObjectContent::operator=(ObjectContent&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

size_t ObjectContent::read(uint64_t offset, char* to, size_t bytes) const {
  for (;;) {
    const ssize_t n = pread(fd_, to, bytes, static_cast<off_t>(offset));
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) return 0;
  }
}

}  // namespace aiflame::record
