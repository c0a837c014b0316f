// SPDX-License-Identifier: MIT
#include "libcommon/process/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace aiflame {
namespace {

// As in <linux/landlock.h>, of which Debian 12's ends with version 2. A kernel takes a structure
// that is longer than its own when the rest is zero.
struct Ruleset {
  uint64_t files, network, scopes;
};

// The rights on files that a kernel knows: bits 0 to 12 in version 1; bit 13, to link and rename
// into other directories, in version 2; 14, to truncate, in 3; 15, ioctl() of devices, in 5.
uint64_t file_rights(long version) {
  unsigned bits = 13;
  if (version >= 2) bits = 14;
  if (version >= 3) bits = 15;
  if (version >= 5) bits = 16;
  return (uint64_t{1} << bits) - 1;
}

constexpr uint64_t kTruncate = uint64_t{1} << 14;

constexpr uint64_t kConnectAndBind = 3;     // TCP, version 4
constexpr uint64_t kSocketsAndSignals = 3;  // outside this process and its children, version 6

// A path that does not exist gets no rule. Opening it fails as it would anyway.
void add_rule(int ruleset, const std::string& path, uint64_t rights, mode_t kind) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status {};
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = fd;
  // a rule for a directory would be one for all that is in it
  if (fstat(fd, &status) == 0 && (kind == S_IFDIR) == S_ISDIR(status.st_mode))
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(fd);
}

}  // namespace

bool limit_files(const FileLimits& limits) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  Ruleset handled{file_rights(version), 0, 0};
  // Listing a directory gives no content, and whoever opens one by mistake sees the usual message.
  handled.files &= ~uint64_t{LANDLOCK_ACCESS_FS_READ_DIR};
  if (limits.reads_any) handled.files &= ~uint64_t{LANDLOCK_ACCESS_FS_READ_FILE};
  if (limits.executes) handled.files &= ~uint64_t{LANDLOCK_ACCESS_FS_EXECUTE};
  if (version >= 4) handled.network = kConnectAndBind;
  if (version >= 6) handled.scopes = kSocketsAndSignals;
  const int ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  if (ruleset < 0) return false;
  for (const std::string& path : limits.readable)
    add_rule(ruleset, path, handled.files & LANDLOCK_ACCESS_FS_READ_FILE, S_IFREG);
  if (!limits.tree.empty())
    add_rule(ruleset, limits.tree, handled.files & LANDLOCK_ACCESS_FS_READ_FILE, S_IFDIR);
  if (!limits.written.empty())
    add_rule(ruleset, limits.written,
             handled.files & (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_MAKE_REG | kTruncate),
             S_IFDIR);
  if (!limits.spool.empty())
    add_rule(ruleset, limits.spool,
             handled.files & (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE),
             S_IFDIR);
  if (limits.executes) {
    const uint64_t reads = handled.files & LANDLOCK_ACCESS_FS_READ_FILE;
    add_rule(ruleset, "/dev/null", reads | LANDLOCK_ACCESS_FS_WRITE_FILE, S_IFREG);
  }
  const bool done = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

}  // namespace aiflame
