// SPDX-License-Identifier: MIT
#include "libcommon/base/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"
#include "libcommon/base/write_all.h"

namespace aiflame {

Output::Output(const std::string& path, Existing existing, Readers readers, Planted planted)
    : name_(path), fd_(STDOUT_FILENO) {
  if (path.empty() || path == "-") {
    name_.clear();
  } else {
    place_ = find_output_place(path);
    OpenedOutput opened =
        open_output(place_, path, readers == Readers::owner ? 0600 : 0666, planted);
    is_new_ = opened.is_new;
    fd_ = opened.file.release();
    truncates_ = !is_new_;
    if (existing == Existing::truncated) truncate_once();
  }
  buffer_.reserve(kBufferSize);
}

Output::~Output() {
  if (is_new_ && is_there()) unlinkat(place_.directory.get(), place_.name.c_str(), 0);
  if (fd_ > STDOUT_FILENO) ::close(fd_);
}

// Whether the file still has its name: somebody may have put another one there.
bool Output::is_there() const {
  struct stat ours {
  }, there{};
  return fstat(fd_, &ours) == 0 &&
         fstatat(place_.directory.get(), place_.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void Output::claim() {
  struct stat its {};
  if (name_.empty() || fstat(fd_, &its) != 0 || !S_ISREG(its.st_mode)) return;
  const bool is_locked = flock(fd_, LOCK_EX | LOCK_NB) == 0;
  // a file system without locks is no obstacle
  if (!is_locked && errno != EWOULDBLOCK) return;
  // who had it may have given it another name meanwhile; the user may have named /dev/stdout
  struct stat named {};
  const bool is_link =
      fstatat(place_.directory.get(), place_.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(named.st_mode);
  if (is_locked && (is_link || is_there())) return;
  is_new_ = false;  // it is the other's now, and stays
  throw Error(format("cannot write '%s': another program writes it", name_.c_str()));
}

void Output::truncate_once() {
  // fails for what has no length, such as a FIFO
  if (truncates_) [[maybe_unused]]
    const int done = ftruncate(fd_, 0);
  truncates_ = false;
}

void Output::flush() {
  write_all(buffer_);
  buffer_.clear();
}

void Output::write_all(std::string_view rest) {
  truncate_once();
  const size_t size = rest.size();
  if (!write_rest(fd_, rest)) {
    is_new_ = is_new_ && rest.size() == size;
    const std::string place = name_.empty() ? "" : name_ + ": ";
    throw Error(format("%swrite error: %s", place.c_str(), std::strerror(errno)));
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
