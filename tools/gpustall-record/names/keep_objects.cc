// SPDX-License-Identifier: MIT
// A copy is right if it has the build id that its file had when a stack named it. The file may have
// been changed since, and what has been read of an untrusted file may be a lie. So it is the copy
// that is looked at, which nobody else can change any more.
#include "tools/gpustall-record/names/keep_objects.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "libcommon/io/holes.h"
#include "libcommon/process/bounded_child.h"
#include "tools/gpustall-record/names/symbol_child.h"

namespace aiflame::record {
namespace {

// For all copies. 8 GB, which is the budget, take 80 s on a disk that writes 100 MB a second.
constexpr uint64_t kSeconds = 120;
constexpr uint64_t kSecond = 1000000000;

// Copies `bytes` of one file to another; shares them where the file system can. Returns errno.
int copy_bytes(int from, int to, uint64_t bytes) {
  std::vector<char> block(size_t{1} << 20);
  off64_t offset = 0;
  bool is_direct = true;
  while (static_cast<uint64_t>(offset) < bytes) {
    const uint64_t left = bytes - static_cast<uint64_t>(offset);
    ssize_t n = 0;
    if (is_direct) {
      n = copy_file_range(from, &offset, to, nullptr, left, 0);
      is_direct = n > 0;  // else as read(2) and write(2) see it
      continue;
    }
    n = pread(from, block.data(), std::min<uint64_t>(left, block.size()), offset);
    if (n < 0) return errno;
    if (n == 0) break;  // it has been cut: the build id tells
    for (ssize_t written = 0; written < n;) {
      const ssize_t w = write(to, block.data() + written, static_cast<size_t>(n - written));
      if (w < 0) return errno;
      written += w;
    }
    offset += n;
  }
  return 0;
}

class Keeper {
 public:
  Keeper(const BuildIdCache& cache, Budgets& budgets, bool sandboxed)
      : cache_(cache), budgets_(budgets) {
    if (!sandboxed) reader_.keep_rights();
  }

  // Throws Error with the reason where the object cannot be kept.
  void keep(const CpuNames::Object& object);
  size_t kept() const { return kept_; }
  size_t known() const { return known_; }

 private:
  void copy(const CpuNames::Object& object, uint64_t bytes, int to) const;
  void check(const CpuNames::Object& object, int copied);

  const BuildIdCache& cache_;
  Budgets& budgets_;
  SymbolChild reader_;
  const uint64_t deadline_ = monotonic_ns() + kSeconds * kSecond;
  size_t kept_ = 0, known_ = 0;
};

// In a child: a file system of the container's (FUSE) can let a reader wait for ever.
void Keeper::copy(const CpuNames::Object& object, uint64_t bytes, int to) const {
  const uint64_t now = monotonic_ns();
  const std::string too_long =
      format("copying took more than %u s", static_cast<unsigned>(kSeconds));
  if (now >= deadline_) throw Error(too_long);
  ChildLimits limits;
  limits.seconds = static_cast<unsigned>((deadline_ - now) / kSecond + 1);
  limits.cpu_seconds = limits.seconds;
  const ChildResult result =
      run_in_child([&] { return copy_bytes(object.descriptor, to, bytes); }, limits);
  if (result.limit == ChildLimit::time) throw Error(too_long);
  if (result.status < 0) throw Error("copying was ended");
  if (result.status != 0) throw Error(format("cannot copy: %s", std::strerror(result.status)));
}

void Keeper::check(const CpuNames::Object& object, int copied) {
  const SymbolChild::Question question{0, 0, SymbolChild::Kind::build_id};
  std::optional<SymbolChild::Answers> answers;
  if (reader_.add_file(question.file, copied)) answers = reader_.ask({question});
  if (!answers || !answers->front().symbol || answers->front().symbol->name != object.build_id)
    throw Error("it has changed since");
}

void Keeper::keep(const CpuNames::Object& object) {
  if (object.build_id.empty()) throw Error("no build id");
  if (cache_.has(object.build_id)) {
    ++known_;
    return;
  }
  struct stat status {};
  if (object.descriptor < 0 || fstat(object.descriptor, &status) != 0)
    throw Error("too many files");
  if (is_mostly_hole(object.descriptor)) throw Error("most of the file is a hole");
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (!budgets_.take(Kept::objects, object.pid, bytes)) return;  // which is counted there
  cache_.add(
      object.path, object.build_id, [&](int to) { copy(object, bytes, to); },
      [&](int copied) { check(object, copied); });
  ++kept_;
}

}  // namespace

KeptObjects keep_objects(const BuildIdCache& cache, const std::vector<CpuNames::Object>& objects,
                         Budgets& budgets, bool sandboxed) {
  KeptObjects out;
  std::map<std::string, std::pair<size_t, std::string>> reasons;  // how often, and the first path
  Keeper keeper(cache, budgets, sandboxed);
  for (const CpuNames::Object& object : objects) try {
      keeper.keep(object);
    } catch (const std::exception& error) {
      auto& [count, first] = reasons[error.what()];
      if (count++ == 0) first = object.path;
    }
  out.kept = format("kept %zu CPU objects in %s, which had %zu", keeper.kept(),
                    cache.directory().c_str(), keeper.known());
  for (const auto& [reason, which] : reasons)
    out.not_kept.push_back(
        which.first == 1
            ? format("CPU object %s was not kept: %s", which.second.c_str(), reason.c_str())
            : format("%zu CPU objects were not kept, the first is %s: %s", which.first,
                     which.second.c_str(), reason.c_str()));
  return out;
}

}  // namespace aiflame::record
