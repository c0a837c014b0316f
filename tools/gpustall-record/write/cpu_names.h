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
  // An executable mapping of `pid`; replaces what it overlaps.
  void map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
           const std::string& path);
  // Takes the mappings that /proc/PID/maps shows now, in place of those known; keeps those when the
  // process has gone.
  void read_maps(uint32_t pid);
  // `pid` begins with what `parent` has mapped.
  void fork(uint32_t parent, uint32_t pid);
  void forget(uint32_t pid) {
    processes_.erase(pid);
    mounts_.erase(pid);
  }

  // Whether some mapping of `pid` holds the address.
  bool knows(uint32_t pid, uint64_t address) const;
  // `is_return`: the address is behind a call, so it is named by the byte before it.
  GpustallFrame name(uint32_t pid, uint64_t address, bool is_return);

 private:
  struct Mapping {
    uint64_t end = 0, file_offset = 0;
    std::string path;
  };
  // Which mounts the process sees, of a container its own: by these and its path a file is known.
  const std::string& mounts_of(uint32_t pid);
  // Null for what is no readable ELF file. Opened through /proc/PID/root while the process lives:
  // it may be in a container.
  const ElfFile* open(uint32_t pid, const std::string& path);

  std::map<uint32_t, std::map<uint64_t, Mapping>> processes_;  // by pid, by start
  std::map<uint32_t, std::string> mounts_;                     // by pid
  // by mounts and path
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ElfFile>> files_;
};

}  // namespace aiflame::record
