// SPDX-License-Identifier: MIT
#include "libcommon/base/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame {

Output::Output(const std::string& path, Existing existing, Readers readers)
    : name_(path), fd_(STDOUT_FILENO) {
  if (path.empty() || path == "-") {
    name_.clear();
  } else {
    is_new_ = open_file(O_CREAT | O_EXCL, readers);
    truncates_ = !is_new_ && existing == Existing::kept_until_written;
    if (!is_new_ && !open_file(O_CREAT | (truncates_ ? 0 : O_TRUNC), readers))
      throw Error(format("cannot write '%s': %s", path.c_str(), std::strerror(errno)));
  }
  buffer_.reserve(kBufferSize);
}

Output::~Output() {
  if (is_new_ && is_there()) unlink(name_.c_str());
  if (fd_ > STDOUT_FILENO) ::close(fd_);
}

// Whether the file still has its name: somebody may have put another one there.
bool Output::is_there() const {
  struct stat ours {
  }, there{};
  return fstat(fd_, &ours) == 0 && lstat(name_.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool Output::open_file(int flags, Readers readers) {
  const mode_t mode = readers == Readers::owner ? 0600 : 0666;
  fd_ = open(name_.c_str(), O_WRONLY | O_CLOEXEC | flags, mode);
  return fd_ >= 0;
}

void Output::flush() {
  write_all(buffer_);
  buffer_.clear();
}

void Output::write_all(std::string_view rest) {
  // fails for what has no length, such as a FIFO
  if (truncates_) [[maybe_unused]]
    const int done = ftruncate(fd_, 0);
  truncates_ = false;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      // another process that shares the terminal or pipe has made it non-blocking
      pollfd room{fd_, POLLOUT, 0};
      poll(&room, 1, -1);
      continue;
    }
    if (written < 0) {
      const std::string place = name_.empty() ? "" : name_ + ": ";
      throw Error(format("%swrite error: %s", place.c_str(), std::strerror(errno)));
    }
    rest.remove_prefix(static_cast<size_t>(written));
    is_new_ = false;
  }
  is_new_ = false;  // an empty result is one too
}

void Output::close() {
  flush();
  // NFS and full disks may report errors only at close(2)
  const int fd = fd_;
  fd_ = -1;
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR) {
    const std::string place = name_.empty() ? "" : name_ + ": ";
    throw Error(format("%swrite error: %s", place.c_str(), std::strerror(errno)));
  }
}

}  // namespace aiflame
