// SPDX-License-Identifier: MIT
#include "libcommon/base/output_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/base/random_digits.h"

namespace aiflame {
namespace {

constexpr unsigned kMostLinks = 40;  // as the kernel

bool is_trusted(uid_t owner) {
  return owner == geteuid() || owner == 0;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(format("cannot write '%s': %s", path.c_str(), why.c_str()));
}

[[noreturn]] void fail(const std::string& path) {
  refuse(path, std::strerror(errno));
}

// Links in /proc/self/fd lead to open files, whatever their text is ("pipe:[4711]").
bool is_in_proc(int directory) {
  struct statfs system {};
  return fstatfs(directory, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// The text of a link; nothing where it is none.
std::optional<std::string> link_text(int directory, const char* name) {
  char text[PATH_MAX];
  const ssize_t n = readlinkat(directory, name, text, sizeof text);
  if (n < 0) return std::nullopt;
  return std::string(text, static_cast<size_t>(n));
}

// Opens a directory part by part, since the kernel would follow each link on the way.
class DirectoryWalk {
 public:
  DirectoryWalk(Descriptor from, const std::string& path, bool makes)
      : at_(std::move(from)), rest_(path), makes_(makes) {}

  // No descriptor, and why(), when it cannot be opened.
  Descriptor open_directory() {
    if (rest_.starts_with('/')) at_.reset(open("/", kFlags));
    while (at_.get() >= 0 && !rest_.empty()) enter(take_part());
    if (at_.get() < 0 && why_.empty()) why_ = std::strerror(errno);
    return std::move(at_);
  }
  const std::string& why() const { return why_; }

 private:
  static constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

  std::string take_part() {
    const size_t slash = rest_.find('/');
    std::string part = rest_.substr(0, slash);
    rest_.erase(0, slash == std::string::npos ? slash : slash + 1);
    return part;
  }

  void enter(const std::string& part) {
    if (part.empty() || part == ".") return;
    int next = openat(at_.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 && errno == ENOENT && makes_ &&
        (mkdirat(at_.get(), part.c_str(), 0777) == 0 || errno == EEXIST))
      next = openat(at_.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    Descriptor opened(next);
    struct stat its {};
    if (next < 0 || fstat(next, &its) != 0) return at_.reset(-1);
    if (!S_ISLNK(its.st_mode)) {
      at_ = std::move(opened);
      return;
    }
    if (geteuid() == 0 && !is_trusted(its.st_uid)) {
      why_ = format("'%s' is another user's link, which root does not follow", part.c_str());
      return at_.reset(-1);
    }
    follow(part, next);
  }

  void follow(const std::string& part, int link) {
    if (is_in_proc(at_.get())) return at_.reset(openat(at_.get(), part.c_str(), kFlags));
    const std::optional<std::string> text = link_text(link, "");
    if (text && ++links_ > kMostLinks) errno = ELOOP;
    if (!text || links_ > kMostLinks) return at_.reset(-1);
    if (text->starts_with('/')) at_.reset(open("/", kFlags));
    rest_ = *text + "/" + rest_;
  }

  Descriptor at_;
  std::string rest_;  // to be walked
  const bool makes_;
  std::string why_;
  unsigned links_ = 0;
};

Descriptor open_here() {
  return Descriptor(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// `path` is relative to `from`. `shown` is for messages.
OutputPlace find_place(Descriptor from, const std::string& path, const std::string& shown) {
  const size_t slash = path.rfind('/');
  OutputPlace out;
  out.name = path.substr(slash + 1);
  DirectoryWalk walk(std::move(from),
                     slash == std::string::npos ? "" : path.substr(0, std::max<size_t>(slash, 1)),
                     false);
  out.directory = walk.open_directory();
  if (out.directory.get() < 0) refuse(shown, walk.why());
  if (out.name.empty()) out.name = ".";  // "there/" is a directory, as the kernel will say
  return out;
}

int open_existing(const OutputPlace& place, int flags) {
  return openat(place.directory.get(), place.name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
}

// Why nothing is written to what the name leads to; nullptr where it may be.
const char* why_not(const struct stat& its) {
  if (S_ISLNK(its.st_mode)) return "it is a link, which is not followed";
  if (S_ISCHR(its.st_mode) || S_ISDIR(its.st_mode)) return nullptr;  // open(2) says what it is
  const bool is_fifo = S_ISFIFO(its.st_mode);
  if (is_fifo ? !is_trusted(its.st_uid) : its.st_uid != geteuid())
    return "it belongs to another user";
  // a hard link, too, is planted: to a file of root's in another directory
  if (S_ISREG(its.st_mode) && its.st_nlink > 1) return "it is a hard link";
  return nullptr;
}

// /dev/stdout, /dev/fd/1, /proc/self/fd/1 and links to a device or FIFO, such as /dev/tty0's. A
// link of another user is none of these.
std::optional<Descriptor> open_special(const OutputPlace& place, const std::string& path,
                                       uid_t owner, unsigned links = 0) {
  if (!is_trusted(owner) || links > kMostLinks) return std::nullopt;
  if (is_in_proc(place.directory.get())) {
    Descriptor out(open_existing(place, 0));
    if (out.get() < 0) fail(path);
    return out;
  }
  const std::optional<std::string> text = link_text(place.directory.get(), place.name.c_str());
  if (!text) return std::nullopt;
  Descriptor from(openat(place.directory.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const OutputPlace target = find_place(std::move(from), *text, path);
  struct stat its {};
  if (fstatat(target.directory.get(), target.name.c_str(), &its, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  if (S_ISLNK(its.st_mode)) return open_special(target, path, its.st_uid, links + 1);
  if ((!S_ISCHR(its.st_mode) && !S_ISFIFO(its.st_mode)) || why_not(its) != nullptr)
    return std::nullopt;
  Descriptor out(open_existing(target, O_NOFOLLOW));
  if (out.get() < 0) fail(path);
  return out;
}

// A new file takes the name from what has it: rename(2) replaces a link and does not follow it.
Descriptor replace(const OutputPlace& place, const std::string& path, mode_t mode) {
  const std::string unfinished = place.name + "." + random_digits();
  const int directory = place.directory.get();
  Descriptor out(openat(directory, unfinished.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (out.get() < 0) fail(path);
  if (renameat(directory, unfinished.c_str(), directory, place.name.c_str()) != 0) {
    const int error = errno;
    unlinkat(directory, unfinished.c_str(), 0);
    refuse(path, std::strerror(error));
  }
  return out;
}

}  // namespace

OutputPlace find_output_place(const std::string& path) {
  return find_place(open_here(), path, path);
}

Descriptor open_output_directory(const std::string& path) {
  DirectoryWalk walk(open_here(), path, false);
  Descriptor out = walk.open_directory();
  if (out.get() >= 0) out.reset(openat(out.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (out.get() < 0) refuse(path, walk.why().empty() ? std::strerror(errno) : walk.why());
  return out;
}

void make_output_directory(const std::string& path) {
  DirectoryWalk walk(open_here(), path, true);
  const Descriptor made = walk.open_directory();
  struct stat its {};
  if (made.get() >= 0 && fstat(made.get(), &its) == 0 && S_ISDIR(its.st_mode)) return;
  throw Error(format("cannot make directory '%s': %s", path.c_str(),
                     made.get() < 0 ? walk.why().c_str() : std::strerror(ENOTDIR)));
}

OpenedOutput open_output(const OutputPlace& place, const std::string& path, mode_t mode,
                         Planted planted) {
  const int directory = place.directory.get();
  constexpr int kNew = O_CREAT | O_EXCL | O_NOFOLLOW;
  Descriptor made(openat(directory, place.name.c_str(), O_WRONLY | O_CLOEXEC | kNew, mode));
  if (made.get() >= 0) return {std::move(made), true};
  struct stat named {
  }, opened{};
  // where nothing can be created, what is there may still be written to
  if (errno != EEXIST && errno != EACCES && errno != EPERM && errno != EROFS) fail(path);
  const int error = errno;
  if (fstatat(directory, place.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
    refuse(path, std::strerror(error));
  if (S_ISLNK(named.st_mode))
    if (std::optional<Descriptor> special = open_special(place, path, named.st_uid))
      return {std::move(*special), false};
  const char* why = why_not(named);
  if (why == nullptr) {
    Descriptor there(open_existing(place, O_NOFOLLOW));
    if (there.get() < 0 && errno != ELOOP) fail(path);
    // it may have been exchanged since
    why = there.get() < 0                    ? "it is a link, which is not followed"
          : fstat(there.get(), &opened) != 0 ? std::strerror(errno)
                                             : why_not(opened);
    if (why == nullptr) return {std::move(there), false};
  }
  if (planted == Planted::refused) refuse(path, why);
  return {replace(place, path, mode), true};
}

}  // namespace aiflame
