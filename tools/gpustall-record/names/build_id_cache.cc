// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/build_id_cache.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libcommon/base/descriptor.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

constexpr const char* kIds = ".build-id";

// Without names: many objects that fail alike are told in one line.
[[noreturn]] void fail(const char* what) {
  throw Error(format("cannot %s: %s", what, std::strerror(errno)));
}

constexpr const char* kNoPath = "its path is no path of a file";

// Follows links, but only to what is below `directory`: perf's own are such links.
int open_beneath(int directory, const std::string& path, uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how));
}

// Opens the directory at `path` below another one, and makes what is missing. Throws Error where
// something else is there, such as a link, or the path leads elsewhere.
int make_directories(int from, const std::string& path) {
  Descriptor at(fcntl(from, F_DUPFD_CLOEXEC, 0));
  for (std::string_view rest = path; !rest.empty();) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (name.empty() || name == "." || name == "..") throw Error(kNoPath);
    if (mkdirat(at.get(), name.c_str(), 0700) != 0 && errno != EEXIST) fail("make a directory");
    at.reset(openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (at.get() < 0) fail("open a directory");
  }
  return at.release();
}

std::string id_directory(const std::string& build_id) {
  return std::string(kIds) + "/" + build_id.substr(0, 2);
}

std::string id_entry(const std::string& build_id) {
  return id_directory(build_id) + "/" + build_id.substr(2);
}

// The path of the object's own directory, below the cache. Throws Error.
std::string entry_path(const std::string& path, const std::string& build_id) {
  const std::string_view below = std::string_view(path).substr(path.starts_with('/') ? 1 : 0);
  // the place of the links is no place for objects
  if (below.empty() || below == kIds || below.starts_with(std::string(kIds) + "/"))
    throw Error(kNoPath);
  return std::string(below) + "/" + build_id;
}

}  // namespace

BuildIdCache::BuildIdCache() {
  const char* const home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') throw Error("no home directory");
  directory_ = std::string(home) + "/.debug";
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
    fail(("make '" + directory_ + "'").c_str());
  struct stat link {
  }, status{};
  Descriptor opened(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) fail(("open '" + directory_ + "'").c_str());
  // a link to elsewhere may be the user's own, and nobody else's
  const auto is_trusted = [](const struct stat& one) {
    return one.st_uid == geteuid() || one.st_uid == 0;
  };
  if (lstat(directory_.c_str(), &link) != 0 || fstat(opened.get(), &status) != 0 ||
      !is_trusted(link) || !is_trusted(status))
    throw Error(format("'%s' belongs to another user", directory_.c_str()));
  fd_ = opened.release();
}

BuildIdCache::~BuildIdCache() {
  if (fd_ >= 0) close(fd_);
}

bool BuildIdCache::has(const std::string& build_id) const {
  const Descriptor found(open_beneath(fd_, id_entry(build_id) + "/elf", O_PATH));
  struct stat status {};
  return found.get() >= 0 && fstat(found.get(), &status) == 0 && S_ISREG(status.st_mode);
}

// The directory for the object's files: the one that the cache has for the build id, perhaps with
// something else of the object, or a new one.
int BuildIdCache::open_entry(const std::string& path, const std::string& build_id) const {
  const int known = open_beneath(fd_, id_entry(build_id), O_RDONLY | O_DIRECTORY);
  return known >= 0 ? known : make_directories(fd_, entry_path(path, build_id));
}

void BuildIdCache::link_entry(const std::string& target, const std::string& build_id) const {
  const Descriptor ids(make_directories(fd_, id_directory(build_id)));
  const std::string link = "../../" + target;
  if (symlinkat(link.c_str(), ids.get(), build_id.substr(2).c_str()) != 0 && errno != EEXIST)
    fail("make a link");
  if (!has(build_id)) throw Error("something else is in its place in the cache");
}

void BuildIdCache::add(const std::string& path, const std::string& build_id,
                       const std::function<void(int to)>& copy,
                       const std::function<void(int copied)>& is_right) const {
  const std::string target = entry_path(path, build_id);
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) throw Error("cannot get random bytes");
  const Descriptor ids(make_directories(fd_, kIds));
  const std::string unfinished = format("unfinished.%016" PRIx64, random);
  const Descriptor out(openat(ids.get(), unfinished.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (out.get() < 0) fail("create a file");
  try {
    copy(out.get());
    // who only reads it must not be able to write to it
    const Descriptor copied(
        openat(ids.get(), unfinished.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (copied.get() < 0) fail("open the copy");
    is_right(copied.get());
    if (fchmod(out.get(), 0400) != 0) fail("change its mode");
    const Descriptor entry(open_entry(path, build_id));
    if (renameat(ids.get(), unfinished.c_str(), entry.get(), "elf") != 0) fail("rename the copy");
    try {
      link_entry(target, build_id);
    } catch (...) {
      unlinkat(entry.get(), "elf", 0);
      throw;
    }
  } catch (...) {
    unlinkat(ids.get(), unfinished.c_str(), 0);
    throw;
  }
}

}  // namespace aiflame::record
