// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/listen_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "libcommon/base/hex.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/base/secret.h"

namespace aiflame::record {
namespace {

constexpr const char* kSecretFile = "secret";
constexpr size_t kDigits = size_t{2} * AGENT_SECRET_BYTES;

// "/run/aiflame" of "run/../run/aiflame/"; links stay, since a container may have others.
std::string absolute(const std::string& path) {
  std::string out = std::filesystem::absolute(path).lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

Descriptor open_directory(int parent, const char* name) {
  return Descriptor(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool take_digits(std::string_view digits, uint8_t (&out)[AGENT_SECRET_BYTES]) {
  if (digits.size() < kDigits) return false;
  for (size_t i = 0; i < AGENT_SECRET_BYTES; ++i) {
    const auto byte = parse_hex(digits.substr(2 * i, 2));
    if (!byte) return false;
    out[i] = static_cast<uint8_t>(*byte);
  }
  return true;
}

}  // namespace

ListenDirectory::ListenDirectory(const std::string& path) : path_(absolute(path)) {
  check_path();
  const char* name = path_.c_str();
  if (mkdir(name, 0700) != 0 && errno != EEXIST)
    throw Error(format("cannot make '%s': %s", name, std::strerror(errno)));
  fd_ = open_directory(AT_FDCWD, name);
  if (fd_.get() < 0) throw Error(format("cannot open '%s': %s", name, std::strerror(errno)));
  check_owner();
}

// Whoever chose the path may swap a part of it for a link at any time, so each part is opened below
// the one before: what was checked is what is used.
ListenDirectory::ListenDirectory(int root, const std::string& path) : path_(absolute(path)) {
  check_path();
  fd_ = open_directory(root, ".");
  for (size_t begin = 1; fd_.get() >= 0 && begin < path_.size();) {
    const size_t end = std::min(path_.find('/', begin), path_.size());
    fd_ = open_directory(fd_.get(), path_.substr(begin, end - begin).c_str());
    if (fd_.get() < 0)
      throw Error(format("cannot open '%s': %s", path_.substr(0, end).c_str(),
                         // what O_NOFOLLOW and O_DIRECTORY say of a link
                         errno == ENOTDIR ? "no directory, or a link" : std::strerror(errno)));
    begin = end + 1;
  }
  if (fd_.get() < 0) throw Error(format("cannot open '/': %s", std::strerror(errno)));
  check_owner();
}

void ListenDirectory::check_path() const {
  const char* name = path_.c_str();
  if (path_.size() > kMaxPath)
    throw Error(format("'%s': a directory of agents has at most %zu bytes", name, kMaxPath));
  for (const char c : path_)
    if (static_cast<unsigned char>(c) < ' ')
      throw Error(format("'%s': a directory of agents has no control characters", name));
}

void ListenDirectory::check_owner() const {
  const char* name = path_.c_str();
  struct stat status {};
  if (fstat(fd_.get(), &status) != 0)
    throw Error(format("cannot open '%s': %s", name, std::strerror(errno)));
  if (status.st_uid != geteuid()) throw Error(format("'%s' belongs to another user", name));
  if ((status.st_mode & 077) != 0)
    throw Error(format("'%s' is open to other users: chmod 0700 it", name));
}

bool ListenDirectory::is_at_path() const {
  struct stat here {
  }, there{};
  return fstat(fd_.get(), &here) == 0 && stat(path_.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

std::string ListenDirectory::file(const char* name) const {
  return format("/proc/self/fd/%d/%s", fd_.get(), name);
}

void ListenDirectory::keep_others_out() const {
  if (flock(fd_.get(), LOCK_EX | LOCK_NB) != 0)
    throw Error(errno == EWOULDBLOCK
                    ? format("another recorder listens in '%s'", path_.c_str())
                    : format("cannot lock '%s': %s", path_.c_str(), std::strerror(errno)));
}

// Whoever comes second finds the first one's: the file has its content when it gets its name.
void ListenDirectory::make_secret() const {
  uint8_t random[2 * AGENT_SECRET_BYTES];
  fill_with_secret(random, sizeof random);
  const std::string digits = hex_of({reinterpret_cast<const char*>(random), sizeof random});
  const std::string unfinished = format("%s.%s", kSecretFile, digits.substr(kDigits).c_str());
  const std::string line = digits.substr(0, kDigits) + "\n";
  const int fd = openat(fd_.get(), unfinished.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool is_made =
      fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
      (linkat(fd_.get(), unfinished.c_str(), fd_.get(), kSecretFile, 0) == 0 || errno == EEXIST);
  const int why = errno;
  if (fd >= 0) {
    unlinkat(fd_.get(), unfinished.c_str(), 0);
    close(fd);
  }
  if (!is_made)
    throw Error(format("cannot write '%s/%s': %s", path_.c_str(), kSecretFile, std::strerror(why)));
}

void ListenDirectory::copy_secret(uint8_t (&out)[AGENT_SECRET_BYTES]) const {
  const char* told = std::getenv(AGENT_ENVIRONMENT);
  if (told != nullptr && std::string_view(told).ends_with(":" + path_) && take_digits(told, out))
    return;
  if (read_secret(out)) return;
  make_secret();
  if (!read_secret(out))
    throw Error(
        format("cannot open '%s/%s': %s", path_.c_str(), kSecretFile, std::strerror(errno)));
}

// False when there is no such file.
bool ListenDirectory::read_secret(uint8_t (&out)[AGENT_SECRET_BYTES]) const {
  const int fd = openat(fd_.get(), kSecretFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return false;
  if (fd < 0)
    throw Error(
        format("cannot open '%s/%s': %s", path_.c_str(), kSecretFile, std::strerror(errno)));
  char digits[kDigits] = {};
  struct stat status {};
  const bool is_right = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                        status.st_uid == geteuid() && (status.st_mode & 077) == 0 &&
                        read(fd, digits, sizeof digits) == static_cast<ssize_t>(sizeof digits) &&
                        take_digits({digits, sizeof digits}, out);
  close(fd);
  if (!is_right)
    throw Error(
        format("'%s/%s' is no secret of yours alone: remove it, and print the environment "
               "again",
               path_.c_str(), kSecretFile));
  return true;
}

bool ListenDirectory::was_told(const std::string& address) const {
  uint8_t theirs[AGENT_SECRET_BYTES], ours[AGENT_SECRET_BYTES];
  return take_digits(address, theirs) && read_secret(ours) &&
         std::memcmp(theirs, ours, sizeof ours) == 0;
}

std::string agent_address(const uint8_t (&secret)[AGENT_SECRET_BYTES], const std::string& directory,
                          int descriptor, ino_t inode) {
  return format("%s:%u:%d:%llu:%s",
                hex_of({reinterpret_cast<const char*>(secret), sizeof secret}).c_str(), geteuid(),
                descriptor, static_cast<unsigned long long>(inode), directory.c_str());
}

std::string agent_address(const ListenDirectory& directory) {
  uint8_t secret[AGENT_SECRET_BYTES];
  directory.copy_secret(secret);
  return agent_address(secret, directory.path());
}

}  // namespace aiflame::record
