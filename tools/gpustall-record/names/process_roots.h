// SPDX-License-Identifier: MIT
// The root directories of recorded processes: a process in a container or chroot has its own, and
// the paths that it reports lie below it. They are kept open, because the process and its container
// may have gone when a file is wanted.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "libcommon/process/process_file.h"

namespace aiflame::record {

class ProcessRoots {
 public:
  // The recorder's own root, and that of processes that ended before anything was known of them.
  static constexpr uint64_t kOwn = 0;

  ProcessRoots();
  ~ProcessRoots();
  ProcessRoots(const ProcessRoots&) = delete;
  ProcessRoots& operator=(const ProcessRoots&) = delete;

  // `root` is an open directory, of which a copy is kept; -1 = unknown.
  void set(uint32_t pid, int root) {
    if (add(pid, root)) told_.insert(pid);
  }
  // A child has its parent's.
  void copy(uint32_t parent, uint32_t pid) { processes_[pid] = number_of(parent); }
  void forget(uint32_t pid) {
    processes_.erase(pid);
    told_.erase(pid);
  }
  // Whether set() has told.
  bool was_told(uint32_t pid) const { return told_.contains(pid); }

  // The number of the process's root, from /proc while the process lives if set() did not tell. Two
  // processes with the same root have the same number, and no other root ever gets it.
  uint64_t number_of(uint32_t pid);
  // Opens a file below this root. `is_ours`: the path is one that /proc/PID/maps showed us. It
  // shows the files of a chroot by their paths below our own root, so that is tried too. Throws
  // Error.
  ProcessFile open(uint64_t number, const std::string& path, bool is_ours) const;

 private:
  // More containers than a machine runs at one time. Beyond, a root that no process has makes room.
  static constexpr size_t kMost = 256;
  using Identity = std::tuple<uint64_t, uint64_t, uint64_t>;  // mount, device, inode
  [[nodiscard]] static bool identify(int root, Identity& out);
  [[nodiscard]] bool add(uint32_t pid, int root);
  [[nodiscard]] bool make_room();

  struct Root {
    uint64_t number = kOwn;
    int descriptor = -1;
  };
  int own_;
  Identity own_identity_;
  uint64_t last_number_ = kOwn;
  std::map<Identity, Root> roots_;          // others; open, so that no identity is used again
  std::map<uint32_t, uint64_t> processes_;  // number by pid
  std::set<uint32_t> told_;                 // by set()
};

}  // namespace aiflame::record
