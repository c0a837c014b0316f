// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/objects.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/process_file.h"

namespace aiflame::record {
namespace {

// A code object is some kilobytes to some megabytes; nothing beyond this is one.
constexpr off_t kMaxObject = off_t{1} << 30;

// Functions inside one kernel. A compiler inlines most of them.
constexpr size_t kMaxInside = 1024;

std::string default_directory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/aiflame/objects";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    // a known name in /tmp would be anybody's to put a link there
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
  std::error_code ignored;  // a failure shows, with its reason, when the first object is saved
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
  // under another name first: a recorder that is killed here leaves no half object
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

std::string ObjectStore::save(uint32_t pid, const std::string& path) {
  try {
    if (directory_.empty()) throw Error("no home directory; --objects names one");
    return store(read_file(pid, path), std::filesystem::path(path).extension().string());
  } catch (const std::exception& error) {
    warn_once(error.what());
    return path;
  }
}

std::string ObjectStore::keep(const std::string& content, const std::string& extension) {
  try {
    return store(content, extension);
  } catch (const std::exception& error) {
    warn_once(error.what());
    return "";
  }
}

const CodeObject::Function* CodeObject::function_at(uint64_t at) const {
  auto next = std::upper_bound(functions.begin(), functions.end(), at,
                               [](uint64_t a, const Function& f) { return a < f.address; });
  // Of functions inside another, as a cubin's kernel has them, the innermost. Behind the last of
  // them it is the outer one, so many back at the most, for a file that lies.
  for (size_t back = 0; back < kMaxInside && next != functions.begin(); ++back) {
    --next;
    if (at - next->address < next->bytes) return &*next;
  }
  return nullptr;
}

uint64_t CodeObject::kernel_address(uint32_t kernel) const {
  for (const Function& function : functions)
    if (function.own && function.kernel == kernel) return function.address;
  return 0;
}

uint32_t Names::number(const std::string& name) {
  const auto [at, added] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (added) names_.push_back(name);
  return at->second;
}

void Objects::load(uint32_t pid, std::shared_ptr<const CodeObject> object) {
  unload(pid, object->address);
  std::set<uint32_t> seen;  // the first address of a kernel counts, see kernel_address()
  for (const CodeObject::Function& f : object->functions)
    if (f.own && seen.insert(f.kernel).second)
      by_kernel_[{pid, f.kernel}][f.address] = object->path;
  longest_ = std::max(longest_, object->bytes);
  by_low_[{static_cast<uint32_t>(object->address), pid}] = object;
  loaded_[{pid, object->address}] = std::move(object);
}

void Objects::unload(uint32_t pid, uint64_t address) {
  const auto found = loaded_.find({pid, address});
  if (found == loaded_.end()) return;
  for (const CodeObject::Function& f : found->second->functions) {
    const auto kernel = by_kernel_.find({pid, f.kernel});
    if (!f.own || kernel == by_kernel_.end()) continue;
    kernel->second.erase(f.address);
    if (kernel->second.empty()) by_kernel_.erase(kernel);
  }
  const auto low = by_low_.find({static_cast<uint32_t>(address), pid});
  if (low != by_low_.end() && low->second == found->second) by_low_.erase(low);
  loaded_.erase(found);
}

Objects::Found Objects::anywhere(uint64_t address, unsigned bits) const {
  Found found;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const auto low = static_cast<uint32_t>(address);
  // from the nearest below on down; the heaps that code lies in begin where the low half is 0
  auto next = by_low_.upper_bound({low, UINT32_MAX});
  while (next != by_low_.begin()) {
    --next;
    const auto& [key, object] = *next;
    if (low - key.first >= longest_) break;
    if (((address - object->address) & mask) >= object->bytes) continue;
    if (found.object != nullptr && found.pid != key.second) return Found{0, nullptr, true};
    // of one process the nearest
    if (found.object == nullptr) found = Found{key.second, object, false};
  }
  return found;
}

std::shared_ptr<const CodeObject> Objects::at(uint32_t pid, uint64_t address) const {
  auto next = loaded_.upper_bound({pid, address});
  if (next == loaded_.begin()) return nullptr;
  const auto& [key, object] = *std::prev(next);
  if (key.first != pid || address - object->address >= object->bytes) return nullptr;
  return object;
}

const std::map<uint64_t, std::string>& Objects::addresses(uint32_t pid, uint32_t kernel) const {
  static const std::map<uint64_t, std::string> none;
  const auto found = by_kernel_.find({pid, kernel});
  return found == by_kernel_.end() ? none : found->second;
}

}  // namespace aiflame::record
