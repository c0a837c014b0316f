// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/listen_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
  const char* name = path_.c_str();
  if (path_.size() > kMaxPath)
    throw Error(format("'%s': a directory of agents has at most %zu bytes", name, kMaxPath));
  for (const char c : path_)
    if (static_cast<unsigned char>(c) < ' ')
      throw Error(format("'%s': a directory of agents has no control characters", name));
  if (mkdir(name, 0700) != 0 && errno != EEXIST)
    throw Error(format("cannot make '%s': %s", name, std::strerror(errno)));
  fd_ = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (fd_ < 0 || fstat(fd_, &status) != 0)
    throw Error(format("cannot open '%s': %s", name, std::strerror(errno)));
  const bool is_own = status.st_uid == geteuid();
  if (is_own && (status.st_mode & 077) == 0) return;
  close(fd_);
  throw Error(
      format(is_own ? "'%s' is open to other users: chmod 0700 it" : "'%s' belongs to another user",
             name));
}

ListenDirectory::~ListenDirectory() {
  close(fd_);
}

std::string ListenDirectory::file(const char* name) const {
  return format("/proc/self/fd/%d/%s", fd_, name);
}

void ListenDirectory::keep_others_out() const {
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0)
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
  const int fd =
      openat(fd_, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool is_made =
      fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
      (linkat(fd_, unfinished.c_str(), fd_, kSecretFile, 0) == 0 || errno == EEXIST);
  const int why = errno;
  if (fd >= 0) {
    unlinkat(fd_, unfinished.c_str(), 0);
    close(fd);
  }
  if (!is_made)
    throw Error(format("cannot write '%s/%s': %s", path_.c_str(), kSecretFile, std::strerror(why)));
}

void ListenDirectory::copy_secret(uint8_t (&out)[AGENT_SECRET_BYTES]) const {
  const char* told = std::getenv(AGENT_ENVIRONMENT);
  if (told != nullptr && std::string_view(told).ends_with(":" + path_) && take_digits(told, out))
    return;
  int fd = openat(fd_, kSecretFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    make_secret();
    fd = openat(fd_, kSecretFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  }
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
}

bool ListenDirectory::was_told(const std::string& address) const {
  uint8_t theirs[AGENT_SECRET_BYTES], ours[AGENT_SECRET_BYTES];
  if (!take_digits(address, theirs) || faccessat(fd_, kSecretFile, F_OK, 0) != 0) return false;
  copy_secret(ours);
  return std::memcmp(theirs, ours, sizeof ours) == 0;
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
