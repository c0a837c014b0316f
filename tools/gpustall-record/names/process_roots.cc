// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/process_roots.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

}  // namespace

ProcessRoots::ProcessRoots() : own_(::open("/", kFlags)) {
  // none is equal to it then, and our own root gets a number like others
  if (!identify(own_, own_identity_)) own_identity_ = {};
}

ProcessRoots::~ProcessRoots() {
  close(own_);
  for (const auto& [identity, root] : roots_) close(root.descriptor);
}

// False when it is no directory.
bool ProcessRoots::identify(int root, Identity& out) {
  struct statx status {};
  constexpr unsigned kWanted = STATX_INO | STATX_TYPE | STATX_MNT_ID;
  if (root < 0 || statx(root, "", AT_EMPTY_PATH, kWanted, &status) != 0) return false;
  const uint64_t device = uint64_t{status.stx_dev_major} << 32 | status.stx_dev_minor;
  out = {status.stx_mnt_id, device, status.stx_ino};
  return S_ISDIR(status.stx_mode);
}

bool ProcessRoots::make_room() {
  if (roots_.size() < kMost) return true;
  const auto unused = std::find_if(roots_.begin(), roots_.end(), [&](const auto& root) {
    return std::none_of(processes_.begin(), processes_.end(),
                        [&](const auto& process) { return process.second == root.second.number; });
  });
  if (unused == roots_.end()) return false;
  close(unused->second.descriptor);
  roots_.erase(unused);
  return true;
}

bool ProcessRoots::add(uint32_t pid, int root) {
  Identity identity;
  if (!identify(root, identity)) return false;
  if (identity == own_identity_) {
    processes_[pid] = kOwn;
    return true;
  }
  const auto known = roots_.find(identity);
  if (known != roots_.end()) {
    processes_[pid] = known->second.number;
    return true;
  }
  const int copy = make_room() ? fcntl(root, F_DUPFD_CLOEXEC, 0) : -1;
  // a number without a root has no files, which is better than another root's
  processes_[pid] = ++last_number_;
  if (copy >= 0) roots_[identity] = {last_number_, copy};
  return true;
}

uint64_t ProcessRoots::number_of(uint32_t pid) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) return known->second;
  const int root = ::open(format("/proc/%u/root", pid).c_str(), kFlags);
  if (!add(pid, root)) processes_[pid] = kOwn;
  if (root >= 0) close(root);
  return processes_.at(pid);
}

ProcessFile ProcessRoots::open(uint64_t number, const std::string& path, bool is_ours) const {
  if (number == kOwn) return ProcessFile::below(own_, path);
  const auto root = std::find_if(roots_.begin(), roots_.end(),
                                 [&](const auto& one) { return one.second.number == number; });
  const int descriptor = root == roots_.end() ? -1 : root->second.descriptor;
  if (!is_ours) return ProcessFile::below(descriptor, path);
  try {
    return ProcessFile::below(descriptor, path);
  } catch (const Error&) {
    return ProcessFile::below(own_, path);
  }
}

}  // namespace aiflame::record
