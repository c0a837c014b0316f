// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/object_store.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <filesystem>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libcommon/base/descriptor.h"
#include "libcommon/base/program.h"
#include "libcommon/base/write_all.h"
#include "libcommon/io/object_directory.h"
#include "libcommon/process/process_file.h"

namespace aiflame::record {
namespace {

// A code object has some kilobytes to some megabytes. A larger file is not one.
constexpr off_t kMaxObject = off_t{1} << 28;

constexpr size_t kBlock = size_t{256} * 1024;

// Reads from a file that another process may change meanwhile.
size_t read_at(int fd, uint64_t offset, char* to, size_t bytes) {
  for (;;) {
    const ssize_t n = pread(fd, to, bytes, static_cast<off_t>(offset));
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) return 0;
  }
}

class Hash {
 public:
  Hash() { XXH3_128bits_reset(&state_); }
  void add(const char* bytes, size_t count) { XXH3_128bits_update(&state_, bytes, count); }
  std::string text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return format("%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  }

 private:
  XXH3_state_t state_;
};

bool is_trusted(uid_t owner) {
  return owner == geteuid() || owner == 0;
}

}  // namespace

ObjectStore::ObjectStore(const std::string& directory, Budgets& budgets)
    : directory_(directory.empty() ? default_object_directory() : directory), budgets_(budgets) {
  if (directory_.empty()) return;
  std::error_code ignored;  // then saving the first object fails too, and says why
  std::filesystem::create_directories(directory_, ignored);
  const std::filesystem::path absolute = std::filesystem::absolute(directory_, ignored);
  if (!ignored) directory_ = absolute.string();
}

ObjectStore::~ObjectStore() {
  if (fd_ >= 0) close(fd_);
}

// Another user who owns the directory, or a link to it, could exchange the files in it. Throws
// Error.
void ObjectStore::open_directory() {
  if (fd_ >= 0) return;
  if (directory_.empty()) throw Error("no home directory; --objects names one");
  struct stat link {
  }, status{};
  const int fd = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw Error(format("cannot open '%s': %s", directory_.c_str(), std::strerror(errno)));
  if (lstat(directory_.c_str(), &link) != 0 || fstat(fd, &status) != 0 ||
      !is_trusted(link.st_uid) || !is_trusted(status.st_uid)) {
    close(fd);
    throw Error(format("'%s' belongs to another user; --objects names a directory of yours",
                       directory_.c_str()));
  }
  fd_ = fd;
}

std::string ObjectStore::hash_of(const Reader& content) {
  Hash hash;
  std::vector<char> block(kBlock);
  uint64_t offset = 0;
  while (const size_t n = content(offset, block.data(), block.size())) {
    hash.add(block.data(), n);
    offset += n;
  }
  return hash.text();
}

// Whether the directory has the object. Something else may be there under its name: a link, or a
// file of other content.
bool ObjectStore::has_whole(const std::string& name, const std::string& hash) const {
  const Descriptor known(openat(fd_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  return known.get() >= 0 && fstat(known.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         hash_of([&](uint64_t offset, char* to, size_t bytes) {
           return read_at(known.get(), offset, to, bytes);
         }) == hash;
}

// Writes it under another name first: a recorder that is killed here leaves no half-written object.
// Renaming replaces a link and does not follow it. Throws Error.
void ObjectStore::write(const std::string& name, const std::string& hash,
                        const Reader& content) const {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) throw Error("cannot get random bytes");
  const std::string unfinished = format("%s.%016" PRIx64, name.c_str(), random);
  const Descriptor out(
      openat(fd_, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (out.get() < 0)
    throw Error(format("cannot create '%s/%s': %s", directory_.c_str(), unfinished.c_str(),
                       std::strerror(errno)));
  try {
    Hash written;
    std::vector<char> block(kBlock);
    uint64_t offset = 0;
    while (const size_t n = content(offset, block.data(), block.size())) {
      written.add(block.data(), n);
      if (!write_all(out.get(), {block.data(), n}))
        throw Error(format("write error: %s", std::strerror(errno)));
      offset += n;
    }
    if (written.text() != hash) throw Error("a code object changed while it was read");
    if (renameat(fd_, unfinished.c_str(), fd_, name.c_str()) != 0)
      throw Error(format("cannot rename '%s/%s': %s", directory_.c_str(), unfinished.c_str(),
                         std::strerror(errno)));
  } catch (...) {
    unlinkat(fd_, unfinished.c_str(), 0);
    throw;
  }
}

// "" when the process has written enough. Throws Error.
std::string ObjectStore::store(uint32_t pid, uint64_t bytes, const Reader& content,
                               const std::string& extension) {
  open_directory();
  const std::string hash = hash_of(content), name = hash + extension;
  if (!has_whole(name, hash)) {
    if (!budgets_.take(Kept::copies, pid, bytes)) return "";
    write(name, hash, content);
  }
  return directory_ + "/" + name;
}

void ObjectStore::warn_once(const char* why) {
  if (!warned_) warn("code objects are not kept: %s", why);
  warned_ = true;
}

std::string ObjectStore::save_file(uint32_t pid, const std::string& path) {
  try {
    const ProcessFile file(pid, path);
    struct stat status {};
    if (fstat(file.descriptor(), &status) != 0 || status.st_size == 0 ||
        status.st_size > kMaxObject)
      throw Error(format("cannot read '%s' as a code object", path.c_str()));
    const auto bytes = static_cast<uint64_t>(status.st_size);
    const Reader as_it_is = [&](uint64_t offset, char* to, size_t most) {
      return offset < bytes
                 ? read_at(file.descriptor(), offset, to, std::min<uint64_t>(most, bytes - offset))
                 : 0;
    };
    const std::string source = stable_source_name(path);
    const std::string copy =
        store(pid, bytes, source.empty() ? as_it_is : with_source_name(as_it_is, source),
              std::filesystem::path(path).extension().string());
    return copy.empty() ? path : copy;
  } catch (const std::exception& error) {
    warn_once(error.what());
    return path;
  }
}

std::string ObjectStore::save_content(uint32_t pid, const ObjectContent& content,
                                      const std::string& extension) {
  try {
    return store(
        pid, content.size(),
        [&](uint64_t offset, char* to, size_t bytes) { return content.read(offset, to, bytes); },
        extension);
  } catch (const std::exception& error) {
    warn_once(error.what());
    return "";
  }
}

}  // namespace aiflame::record
