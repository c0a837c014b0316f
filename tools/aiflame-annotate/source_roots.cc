// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/source_roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "libcommon/base/descriptor.h"
#include "libcommon/io/read_text.h"

namespace aiflame::annotate {
namespace {

// "/home/u/src/" of a directory; nothing where there is none.
std::optional<std::string> resolved_directory(const std::string& path) {
  std::error_code error;
  std::string out = std::filesystem::canonical(path, error).string();
  if (error) return std::nullopt;
  if (!out.ends_with('/')) out += '/';
  return out;
}

// Files that the kernel makes up: the environment of a process, keys of devices. Another mount of
// them has the same device number.
bool is_made_up(const std::string& path, const struct stat& status) {
  struct stat root {};
  if (stat("/", &root) != 0) return true;
  for (const char* tree : {"/proc", "/sys", "/dev"}) {
    if (path.starts_with(std::string(tree) + "/")) return true;
    struct stat its {};
    if (stat(tree, &its) == 0 && its.st_dev != root.st_dev && its.st_dev == status.st_dev)
      return true;
  }
  return false;
}

}  // namespace

SourceRoots::SourceRoots(const std::vector<std::string>& prefixes) {
  for (const char* tree : {".", "/usr", "/opt"})
    if (const auto root = resolved_directory(tree); root && *root != "/") roots_.push_back(*root);
  for (const std::string& prefix : prefixes)
    if (const auto root = resolved_directory(prefix)) roots_.push_back(*root);
}

bool SourceRoots::holds(const std::string& path) const {
  return std::ranges::any_of(roots_,
                             [&](const std::string& root) { return path.starts_with(root); });
}

std::optional<SourceRoots::Found> SourceRoots::read(const std::string& path, size_t limit) const {
  // O_PATH: opening a device may already do something. What is opened is asked for its path, so no
  // link can change in between.
  const Descriptor file(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  const std::string opened = "/proc/self/fd/" + std::to_string(file.get());
  std::error_code error;
  const std::string resolved = std::filesystem::read_symlink(opened, error).string();
  if (error || is_made_up(resolved, status)) return std::nullopt;
  if (!holds(resolved)) return Found{"", resolved};
  return Found{read_text(opened, limit), ""};
}

}  // namespace aiflame::annotate
