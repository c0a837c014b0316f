// SPDX-License-Identifier: MIT
// Names of CPU addresses in recorded processes, as `perf script` gives them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "libcommon/symbols/elf.h"

namespace aiflame::record {

class CpuNames {
 public:
  // Adds an executable mapping of `pid`, in place of those that it overlaps.
  void add_mapping(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                   const std::string& path);
  // Replaces the mappings of `pid` with those in /proc/PID/maps; keeps the old ones when the
  // process has gone.
  void read_maps(uint32_t pid);
  // `pid` begins with the mappings of `parent`.
  void copy_mappings(uint32_t parent, uint32_t pid);
  void forget(uint32_t pid) {
    processes_.erase(pid);
    mounts_.erase(pid);
  }

  // Whether some mapping of `pid` holds the address.
  bool knows(uint32_t pid, uint64_t address) const;
  // `is_return`: a return address, so the name is looked up one byte before it, inside the call:
  // the call may be the last instruction of its function.
  GpustallFrame frame_at(uint32_t pid, uint64_t address, bool is_return);

 private:
  struct Mapping {
    uint64_t end = 0, file_offset = 0;
    std::string path;
  };
  // The process's mount namespace; a container has its own. The same path in another namespace may
  // be another file.
  const std::string& mounts_of(uint32_t pid);
  // Null for a file that is not readable or not ELF. Opened through /proc/PID/root while the
  // process lives, since it may be in a container.
  const ElfFile* open(uint32_t pid, const std::string& path);

  std::map<uint32_t, std::map<uint64_t, Mapping>> processes_;  // by pid and start
  std::map<uint32_t, std::string> mounts_;                     // by pid
  // by mount namespace and path
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ElfFile>> files_;
};

}  // namespace aiflame::record
