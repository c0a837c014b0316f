// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/object_store.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/process_file.h"

namespace aiflame::record {
namespace {

// A code object has some kilobytes to some megabytes. A larger file is not one.
constexpr off_t kMaxObject = off_t{1} << 30;

std::string default_directory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/aiflame/objects";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    // not a fixed name in /tmp: anybody could put a link there
    const passwd* user = getpwuid(geteuid());
    home = user == nullptr ? nullptr : user->pw_dir;
  }
  return home == nullptr ? "" : std::string(home) + "/.cache/aiflame/objects";
}

std::string read_file(uint32_t pid, const std::string& path) {
  const ProcessFile file(pid, path);
  struct stat status {};
  std::string content;
  if (fstat(file.descriptor(), &status) == 0 && status.st_size <= kMaxObject) {
    content.resize(static_cast<size_t>(status.st_size));
    size_t filled = 0;
    while (filled < content.size()) {
      const ssize_t n = read(file.descriptor(), content.data() + filled, content.size() - filled);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      filled += static_cast<size_t>(n);
    }
    content.resize(filled);
  }
  if (content.empty()) throw Error(format("cannot read '%s' as a code object", path.c_str()));
  return content;
}

}  // namespace

ObjectStore::ObjectStore(const std::string& directory)
    : directory_(directory.empty() ? default_directory() : directory) {
  if (directory_.empty()) return;
  std::error_code ignored;  // then saving the first object fails too, and says why
  std::filesystem::create_directories(directory_, ignored);
  const std::filesystem::path absolute = std::filesystem::absolute(directory_, ignored);
  if (!ignored) directory_ = absolute.string();
}

// Throws Error.
std::string ObjectStore::store(const std::string& content, const std::string& extension) const {
  if (directory_.empty()) throw Error("no home directory; --objects names one");
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  std::string saved =
      directory_ + "/" + format("%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64) + extension;
  if (access(saved.c_str(), R_OK) == 0) return saved;
  // under another name first: a recorder that is killed here leaves no half-written object
  const std::string unfinished = format("%s.%d", saved.c_str(), getpid());
  Output out(unfinished);
  out.write(content);
  out.close();
  std::filesystem::rename(unfinished, saved);
  return saved;
}

void ObjectStore::warn_once(const char* why) {
  if (!warned_) warn("code objects are not kept: %s", why);
  warned_ = true;
}

std::string ObjectStore::save_file(uint32_t pid, const std::string& path) {
  try {
    if (directory_.empty()) throw Error("no home directory; --objects names one");
    return store(read_file(pid, path), std::filesystem::path(path).extension().string());
  } catch (const std::exception& error) {
    warn_once(error.what());
    return path;
  }
}

std::string ObjectStore::save_content(const std::string& content, const std::string& extension) {
  try {
    return store(content, extension);
  } catch (const std::exception& error) {
    warn_once(error.what());
    return "";
  }
}

}  // namespace aiflame::record
