// SPDX-License-Identifier: MIT
#include "libcommon/process/process_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// Opens `path` below `root` with openat2(2). Returns -1 and sets errno on failure.
int open_below(int root, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

int open_below(const std::string& root, const std::string& path) {
  const int directory = open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return -1;
  const int fd = open_below(directory, path);
  const int why = errno;
  close(directory);
  errno = why;
  return fd;
}

}  // namespace

ProcessFile::ProcessFile(uint32_t pid, const std::string& path) {
  fd_ = open_below(format("/proc/%u/root", pid), path);
  if (fd_ < 0) fd_ = open_below("/", path);
  check(path);
}

ProcessFile ProcessFile::below(int root, const std::string& path) {
  ProcessFile file;
  file.fd_ = open_below(root, path);
  file.check(path);
  return file;
}

void ProcessFile::check(const std::string& path) {
  if (fd_ < 0) throw Error(format("cannot open '%s': %s", path.c_str(), std::strerror(errno)));
  struct stat status {};
  if (fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) return;
  close(std::exchange(fd_, -1));
  throw Error(format("cannot read '%s': not a regular file", path.c_str()));
}

ProcessFile::~ProcessFile() {
  if (fd_ >= 0) close(fd_);
}

std::string ProcessFile::path() const {
  return format("/proc/self/fd/%d", fd_);
}

}  // namespace aiflame
