// SPDX-License-Identifier: MIT
// Names of CPU addresses in recorded processes, as `perf script` gives them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/names/file_symbols.h"

namespace aiflame::record {

class CpuNames {
 public:
  struct Place {
    uint64_t address = 0;
    // A return address: the name is looked up one byte before it, inside the call, since the call
    // may be the last instruction of its function.
    bool is_return = false;

    uint64_t inside() const { return is_return ? address - 1 : address; }
  };

  // See SymbolChild.
  void keep_rights() { symbols_.keep_rights(); }

  // Mappings count in `budgets`.
  explicit CpuNames(Budgets& budgets) : budgets_(budgets) {}

  // Adds an executable mapping of `pid`, in place of those that it overlaps.
  void add_mapping(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                   const std::string& path);
  // Replaces the mappings of `pid` with those in /proc/PID/maps, since none is known at `address`;
  // keeps the old ones when the process has gone. Does nothing for a while when that did not help
  // the last time: a hostile agent can make up addresses without end.
  void read_maps(uint32_t pid, uint64_t address);
  // `pid` begins with the mappings of `parent`.
  void copy_mappings(uint32_t parent, uint32_t pid);
  void forget(uint32_t pid) {
    forget_mappings(pid);
    mounts_.erase(pid);
    futile_.erase(pid);
  }

  // Whether some mapping of `pid` holds the address.
  bool knows(uint32_t pid, uint64_t address) const;
  // Reads the symbols of all these places at once, for frame_at().
  void read_ahead(uint32_t pid, const std::vector<Place>& places);
  GpustallFrame frame_at(uint32_t pid, const Place& place);

  // The frames that lack their function's name, because their file's symbols took more time or
  // memory than they may.
  uint64_t unread() const { return symbols_.unread(); }

 private:
  struct Mapping {
    uint64_t end = 0, file_offset = 0;
    std::string path;
  };
  static uint64_t cost(const Mapping& mapping) { return 144 + mapping.path.size(); }
  void forget_mappings(uint32_t pid) {
    processes_.erase(pid);
    budgets_.give_back_all(Kept::mappings, pid);
  }
  // The process's mount namespace; a container has its own. The same path in another namespace may
  // be another file.
  const std::string& mounts_of(uint32_t pid);
  // The mapping that holds an address, with its start; null when there is none.
  const std::pair<const uint64_t, Mapping>* mapping_at(uint32_t pid, uint64_t inside) const;
  // Where an address of a mapping lies in a file; nothing when the file is not readable. It is
  // opened through /proc/PID/root while the process lives, since it may be in a container.
  std::optional<FileSymbols::Place> in_file(uint32_t pid, uint64_t inside,
                                            const std::pair<const uint64_t, Mapping>& mapping);

  Budgets& budgets_;
  std::map<uint32_t, std::map<uint64_t, Mapping>> processes_;  // by pid and start
  std::map<uint32_t, std::string> mounts_;                     // by pid
  struct Futile {
    uint32_t calls = 0;  // of read_maps() to leave out after the next one that does not help
    uint32_t left = 0;   // to leave out now
  };
  std::map<uint32_t, Futile> futile_;  // by pid
  // The file's number in symbols_, by mount namespace and path; none for one that is not readable.
  std::map<std::pair<std::string, std::string>, std::optional<uint64_t>> files_;
  FileSymbols symbols_;
};

}  // namespace aiflame::record
