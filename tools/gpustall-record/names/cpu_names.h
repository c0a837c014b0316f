// SPDX-License-Identifier: MIT
// Names of CPU addresses in recorded processes, as `perf script` gives them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/names/build_ids.h"
#include "tools/gpustall-record/names/file_symbols.h"
#include "tools/gpustall-record/names/jit_maps.h"
#include "tools/gpustall-record/names/process_roots.h"

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

  // A file that holds code of a recorded stack.
  struct Object {
    uint32_t pid = 0;      // of the first process that had it
    std::string path;      // as that process sees it
    std::string build_id;  // "" = none
    int descriptor = -1;   // open as long as this CpuNames; -1 = not kept open
  };

  // Mappings and build ids count in `budgets`.
  explicit CpuNames(Budgets& budgets) : budgets_(budgets), build_ids_(budgets) {}

  // Adds an executable mapping of `pid`, in place of those that it overlaps.
  void add_mapping(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                   const std::string& path);
  // Replaces the mappings of `pid` with those in /proc/PID/maps, since none is known at `address`;
  // keeps the old ones when the process has gone. Does nothing for a while when that did not help
  // the last time: a hostile agent can make up addresses without end.
  void read_maps(uint32_t pid, uint64_t address);
  // `pid` begins with the mappings of `parent`.
  void copy_mappings(uint32_t parent, uint32_t pid);
  // All earlier mappings of `pid` are void.
  void begin_listing(uint32_t pid) {
    forget_mappings(pid);
    futile_.erase(pid);
  }
  void forget(uint32_t pid) {
    begin_listing(pid);
    roots_.forget(pid);
    jit_maps_.forget(pid);
    maps_.erase(pid);
  }
  // The paths that `pid` reports lie below the directory `root`; the caller keeps the descriptor.
  void set_root(uint32_t pid, int root) {
    roots_.set(pid, root);
    jit_maps_.see(pid);
  }

  // Whether some mapping of `pid` holds the address.
  bool knows(uint32_t pid, uint64_t address) const;
  // Reads the symbols of all these places at once, for frame_at().
  void read_ahead(uint32_t pid, const std::vector<Place>& places);
  GpustallFrame frame_at(uint32_t pid, const Place& place);

  // The frames that lack their function's name, because their file's symbols took more time or
  // memory than they may.
  uint64_t unread() const { return symbols_.unread(); }
  // The lines about build ids that are new since the last call.
  std::vector<std::string> take_build_ids() { return build_ids_.take_lines(); }
  // The files of all stacks so far.
  std::vector<Object> objects() const;

 private:
  struct Mapping {
    uint64_t end = 0, file_offset = 0;
    std::string path;
    bool is_ours = false;  // the path is not the process's, but as this process sees it
  };
  void add(uint32_t pid, uint64_t start, Mapping mapping);
  static uint64_t cost(const Mapping& mapping) { return 144 + mapping.path.size(); }
  void forget_mappings(uint32_t pid) {
    processes_.erase(pid);
    budgets_.give_back_all(Kept::mappings, pid);
  }
  // The mapping that holds an address, with its start; null when there is none.
  const std::pair<const uint64_t, Mapping>* mapping_at(uint32_t pid, uint64_t inside) const;
  // The number of a perf map in symbols_, for an address that lies in no file.
  std::optional<uint64_t> map_of(uint32_t pid, const Mapping& mapping);
  // Where an address of a mapping lies in a file; nothing when the file is not readable.
  std::optional<FileSymbols::Place> in_file(uint32_t pid, uint64_t inside,
                                            const std::pair<const uint64_t, Mapping>& mapping);

  Budgets& budgets_;
  std::map<uint32_t, std::map<uint64_t, Mapping>> processes_;  // by pid and start
  ProcessRoots roots_;
  struct Futile {
    uint32_t calls = 0;  // of read_maps() to leave out after the next one that does not help
    uint32_t left = 0;   // to leave out now
  };
  std::map<uint32_t, Futile> futile_;  // by pid
  // Files, with their numbers in symbols_, by number of the root, path and whether that is ours;
  // none for one that is not readable. The same path below another root may be another file.
  struct File {
    std::optional<uint64_t> number;
    uint32_t pid = 0;  // of the first process that had it
  };
  static constexpr size_t kMostFiles = 1 << 14;
  std::map<std::tuple<uint64_t, std::string, bool>, File> files_;
  JitMaps jit_maps_{roots_};
  std::map<uint32_t, uint64_t> maps_;  // the numbers of perf maps, by pid
  size_t maps_opened_ = 0;
  BuildIds build_ids_;
  FileSymbols symbols_;
};

}  // namespace aiflame::record
