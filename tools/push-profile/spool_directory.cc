// SPDX-License-Identifier: MIT
#include "tools/push-profile/spool_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::push {
namespace {

constexpr std::string_view kEnding = ".push";
constexpr size_t kDigits = 8;  // a profile each second for three years
constexpr uint64_t kMostNumber = 99999999;
// A file is written under this name and renamed when it is whole, so a crash leaves one at most.
constexpr const char* kUnfinished = "unfinished";
constexpr size_t kBlock = size_t{256} << 10;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw Error(format("cannot %s '%s': %s", what, path.c_str(), std::strerror(errno)));
}

// "00000012.refused" is 12: those set aside keep their number.
std::optional<uint64_t> number_of(std::string_view name) {
  if (name.size() <= kDigits || name[kDigits] != '.') return std::nullopt;
  return parse_number<uint64_t>(name.substr(0, kDigits));
}

std::vector<std::string> names_in(int directory, const std::string& path) {
  std::vector<std::string> out;
  DIR* opened = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened == nullptr) fail("list", path);
  while (const dirent* entry = readdir(opened))
    if (entry->d_name[0] != '.') out.emplace_back(entry->d_name);
  closedir(opened);
  std::sort(out.begin(), out.end());
  return out;
}

// Others who could write here could have this user's profiles sent, or not sent.
void check_owner(int directory, const std::string& path) {
  struct stat its {};
  if (fstat(directory, &its) != 0) fail("open", path);
  if (its.st_uid != geteuid() || (its.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(format("'%s' must belong to you, and only you may write in it", path.c_str()));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

KeptProfile::~KeptProfile() {
  close(fd_);
}

bool KeptProfile::read_head() {
  std::string text(kMostHead, '\0');
  const ssize_t n = pread(fd_, text.data(), text.size(), 0);
  struct stat its {};
  if (n < 0 || fstat(fd_, &its) != 0 || !S_ISREG(its.st_mode)) return false;
  const auto head = parse_head(std::string_view(text).substr(0, static_cast<size_t>(n)));
  if (!head || static_cast<uint64_t>(its.st_size) != head->length + head->size) return false;
  head_ = *head;
  return true;
}

SpoolDirectory::SpoolDirectory(const std::string& path, uint64_t limit)
    : path_(path), limit_(limit) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("make", path);
  directory_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) fail("open", path);
  check_owner(directory_, path);
  lock_ = openat(directory_, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_ < 0) fail("write", path + "/lock");
  while (flock(lock_, LOCK_EX) != 0)
    if (errno != EINTR) fail("lock", path);
}

SpoolDirectory::~SpoolDirectory() {
  close(lock_);
  close(directory_);
}

std::optional<std::string> SpoolDirectory::keep(const Request& request, const Body& body) {
  const std::string head = head_text(request, body.size);
  uint64_t last = 0, used = 0;
  for (const std::string& name : names_in(directory_, path_)) {
    last = std::max(last, number_of(name).value_or(0));
    struct stat its {};
    if (name != kUnfinished && fstatat(directory_, name.c_str(), &its, AT_SYMLINK_NOFOLLOW) == 0)
      used += static_cast<uint64_t>(its.st_size);
  }
  if (last >= kMostNumber || used > limit_ || head.size() + body.size > limit_ - used)
    return std::nullopt;
  const std::string name = format("%08" PRIu64, last + 1) + std::string(kEnding);
  unlinkat(directory_, kUnfinished, 0);  // of a run that was ended
  const int fd = openat(directory_, kUnfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) fail("write in", path_);
  try {
    write_file(fd, head, body);
  } catch (const Error&) {
    close(fd);
    unlinkat(directory_, kUnfinished, 0);
    throw;
  }
  close(fd);
  if (renameat(directory_, kUnfinished, directory_, name.c_str()) != 0) fail("write in", path_);
  sync();
  return name;
}

void SpoolDirectory::write_file(int fd, const std::string& head, const Body& body) const {
  if (!write_all(fd, head)) fail("write in", path_);
  std::string block(kBlock, '\0');
  for (uint64_t done = 0; done < body.size;) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(kBlock, body.size - done));
    const ssize_t n = pread(body.fd, block.data(), wanted, static_cast<off_t>(body.offset + done));
    if (n <= 0) throw Error("cannot read the profile");
    if (!write_all(fd, std::string_view(block).substr(0, static_cast<size_t>(n))))
      fail("write in", path_);
    done += static_cast<uint64_t>(n);
  }
  if (fsync(fd) != 0) fail("write in", path_);
}

void SpoolDirectory::sync() const {
  if (fsync(directory_) != 0) fail("write", path_);
}

std::vector<std::string> SpoolDirectory::kept() const {
  std::vector<std::string> out;
  for (std::string& name : names_in(directory_, path_))
    if (name.size() == kDigits + kEnding.size() && name.ends_with(kEnding) && number_of(name))
      out.push_back(std::move(name));
  return out;
}

int SpoolDirectory::open_kept(const std::string& name) const {
  // neither a link nor a FIFO, which would block
  const int fd = openat(directory_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail("open", path_ + "/" + name);
  return fd;
}

void SpoolDirectory::remove(const std::string& name) {
  if (unlinkat(directory_, name.c_str(), 0) != 0) fail("remove", path_ + "/" + name);
  sync();
}

std::string SpoolDirectory::set_aside(const std::string& name, const char* ending) {
  const std::string other = name.substr(0, kDigits) + "." + ending;
  if (renameat(directory_, name.c_str(), directory_, other.c_str()) != 0)
    fail("rename", path_ + "/" + name);
  sync();
  return path_ + "/" + other;
}

}  // namespace aiflame::push
