// SPDX-License-Identifier: MIT
#include "tools/push-profile/spool_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "libcommon/base/output_place.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/base/random_digits.h"
#include "libcommon/base/write_all.h"

namespace aiflame::push {
namespace {

constexpr std::string_view kEnding = ".push";
constexpr size_t kDigits = 8;  // a profile each second for three years
constexpr uint64_t kMostNumber = 99999999;
// A file is written under this name, with random digits, and renamed when it is whole. The next run
// removes what a crash has left.
constexpr std::string_view kUnfinished = "unfinished";
constexpr const char* kLock = "lock";
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

// The bytes of the lock file that are locked: by who keeps a profile, for as long as the disk
// takes, and by who sends, for as long as the server takes.
enum class Part : off_t { keeping, sending };

// Of this open file, so that a lock goes with its process. `command`: F_OFD_SETLK and the like.
bool set_lock(int fd, Part part, int command, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(part);
  range.l_len = 1;
  while (fcntl(fd, command, &range) != 0)
    if (errno != EINTR) return false;
  return true;
}

class KeepingLock {
 public:
  KeepingLock(int fd, const std::string& path) : fd_(fd) {
    if (!set_lock(fd_, Part::keeping, F_OFD_SETLKW, F_WRLCK)) fail("lock", path);
  }
  ~KeepingLock() { set_lock(fd_, Part::keeping, F_OFD_SETLK, F_UNLCK); }
  KeepingLock(const KeepingLock&) = delete;
  KeepingLock& operator=(const KeepingLock&) = delete;

 private:
  int fd_;
};

}  // namespace

bool KeptProfile::read_head() {
  const int fd = file_->get();
  std::string text(kMostHead, '\0');
  const ssize_t n = pread(fd, text.data(), text.size(), 0);
  struct stat its {};
  if (n < 0 || fstat(fd, &its) != 0 || !S_ISREG(its.st_mode)) return false;
  const auto head = parse_head(std::string_view(text).substr(0, static_cast<size_t>(n)));
  if (!head || static_cast<uint64_t>(its.st_size) != head->length + head->size) return false;
  head_ = *head;
  return true;
}

SpoolDirectory::SpoolDirectory(const std::string& path, uint64_t limit)
    : path_(path), limit_(limit) {
  const OutputPlace place = find_output_place(path.substr(0, path.find_last_not_of('/') + 1));
  if (mkdirat(place.directory.get(), place.name.c_str(), 0700) != 0 && errno != EEXIST)
    fail("make", path);
  directory_ = open_output_directory(path);
  check_owner(directory_.get(), path);
  lock_ = open_lock();
}

// A link, or what else is no file, is set aside: it must not stop this run and all later ones.
Descriptor SpoolDirectory::open_lock() const {
  for (bool is_first = true;; is_first = false) {
    Descriptor out(openat(directory_.get(), kLock,
                          O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    struct stat its {};
    if (out.get() >= 0 && fstat(out.get(), &its) == 0 && S_ISREG(its.st_mode)) return out;
    const bool is_another = out.get() >= 0 || errno == ELOOP || errno == EISDIR || errno == ENXIO;
    if (!is_first || !is_another) fail("write", path_ + "/" + kLock);
    const std::string aside = std::string(kLock) + ".damaged";
    if (renameat(directory_.get(), kLock, directory_.get(), aside.c_str()) != 0)
      fail("rename", path_ + "/" + kLock);
    say("'%s/%s' was no lock file, and is '%s' now", path_.c_str(), kLock, aside.c_str());
  }
}

bool SpoolDirectory::begin_sending() {
  if (set_lock(lock_.get(), Part::sending, F_OFD_SETLK, F_WRLCK)) return true;
  if (errno != EAGAIN && errno != EACCES) fail("lock", path_);
  return false;
}

void SpoolDirectory::end_sending() {
  set_lock(lock_.get(), Part::sending, F_OFD_SETLK, F_UNLCK);
}

std::optional<std::string> SpoolDirectory::keep(const Request& request, const Body& body) {
  const KeepingLock lock(lock_.get(), path_);
  const int directory = directory_.get();
  const std::string head = head_text(request, body.size);
  uint64_t last = 0, used = 0;
  for (const std::string& name : names_in(directory, path_)) {
    last = std::max(last, number_of(name).value_or(0));
    struct stat its {};
    if (name.starts_with(kUnfinished))
      unlinkat(directory, name.c_str(), 0);  // of a run that was ended
    else if (fstatat(directory, name.c_str(), &its, AT_SYMLINK_NOFOLLOW) == 0)
      used += static_cast<uint64_t>(its.st_size);
  }
  if (last >= kMostNumber || used > limit_ || head.size() + body.size > limit_ - used)
    return std::nullopt;
  const std::string name = format("%08" PRIu64, last + 1) + std::string(kEnding);
  const std::string unfinished = std::string(kUnfinished) + "." + random_digits();
  const Descriptor file(openat(directory, unfinished.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) fail("write in", path_);
  try {
    write_file(file.get(), head, body);
    if (renameat(directory, unfinished.c_str(), directory, name.c_str()) != 0)
      fail("write in", path_);
  } catch (const Error&) {
    unlinkat(directory, unfinished.c_str(), 0);
    throw;
  }
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
  if (fsync(directory_.get()) != 0) fail("write", path_);
}

std::vector<std::string> SpoolDirectory::kept() const {
  std::vector<std::string> out;
  for (std::string& name : names_in(directory_.get(), path_))
    if (name.size() == kDigits + kEnding.size() && name.ends_with(kEnding) && number_of(name))
      out.push_back(std::move(name));
  return out;
}

std::optional<Descriptor> SpoolDirectory::open_kept(const std::string& name) const {
  // neither a link nor a FIFO, which would block
  Descriptor out(
      openat(directory_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (out.get() >= 0) return out;
  if (errno == ENOENT) return std::nullopt;
  const bool is_its_own_fault = errno == ELOOP || errno == EACCES || errno == ENXIO;
  if (!is_its_own_fault) fail("open", path_ + "/" + name);
  return out;
}

void SpoolDirectory::remove(const std::string& name) {
  if (unlinkat(directory_.get(), name.c_str(), 0) != 0 && errno != ENOENT)
    fail("remove", path_ + "/" + name);
  sync();
}

std::string SpoolDirectory::set_aside(const std::string& name, const char* ending) {
  const std::string other = name.substr(0, kDigits) + "." + ending;
  const int directory = directory_.get();
  if (renameat(directory, name.c_str(), directory, other.c_str()) != 0) return path_ + "/" + name;
  sync();
  return path_ + "/" + other;
}

}  // namespace aiflame::push
