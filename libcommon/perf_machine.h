// SPDX-License-Identifier: MIT
// The recorded machine as its records tell it, at the time of asking: threads and their names,
// what is mapped where in each process and in the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/perf_data.h"
#include "libcommon/symbols/jitdump.h"

namespace aiflame {

// Something that code stands in.
struct PerfObject {
  enum class Kind {
    file,
    jit,  // memory of no file: /tmp/perf-PID.map names what is in it
    vdso,
    nothing,  // memory of no file that was not executable when it was mapped
    kernel,   // and its modules
    code,     // one function compiled at run time, of a dump
    ksymbol,  // one function of the kernel, named by a record: a BPF program, a trampoline
  };
  Kind kind = Kind::file;
  std::string name;      // as perf prints it: a path, [vdso], [kernel.kallsyms], /tmp/perf-7.map
  std::string build_id;  // hexadecimal; empty: not told
  const JitCode* code = nullptr;  // of a `code`
};

struct PerfMap {
  uint64_t start = 0, end = 0;
  uint64_t offset = 0;  // of the start in the object
  uint32_t object = 0;
  bool identity = false;  // the object's addresses are the process's

  uint64_t inside(uint64_t address) const { return identity ? address : address - start + offset; }
};

class PerfMachine {
 public:
  struct Thread {
    int32_t pid = -1, tid = -1;
    std::string comm;
    bool named = false;
    uint32_t tag = 0;  // the user's; 0 again when the thread changes its name
  };

  PerfMachine();

  void take_build_id(const PerfBuildId& build_id);
  // A record other than a sample; one that says nothing of threads and maps is ignored.
  void take(const PerfDataRecord& record);

  // A function that a process has compiled: `object` is what to call its object. It replaces what
  // it overlaps, and must outlive the machine.
  void map_code(int32_t pid, const JitCode& code, const std::string& object);

  // The thread of a sample; known from here on.
  Thread& thread(int32_t pid, int32_t tid);

  // Where an address is; nullptr where nothing is known. Valid until the next take().
  const PerfMap* find_user(int32_t pid, uint64_t address);
  const PerfMap* find_kernel(uint64_t address) const;
  // Whether code of the kernel was recorded at all.
  bool has_kernel() const { return !kernel_.empty(); }
  // A map of find_kernel() in which only what has a name is the kernel's.
  bool is_behind_kernel(const PerfMap* map) const { return map == &behind_kernel_; }
  // Changes whenever what find_…() says could. Of different processes they are different.
  uint32_t user_generation(int32_t pid);
  uint32_t kernel_generation() const { return kernel_generation_; }

  const PerfObject& object(uint32_t number) const { return objects_[number]; }
  size_t object_count() const { return objects_.size(); }
  // The kernel's own build id, and the symbol whose address at the time of recording is known.
  const std::string& kernel_build_id() const { return kernel_build_id_; }
  const std::string& reference_symbol() const { return reference_symbol_; }
  uint64_t reference_address() const { return reference_address_; }
  // All maps of a process, by address.
  const std::map<uint64_t, PerfMap>& maps(int32_t pid);

 private:
  using Maps = std::map<uint64_t, PerfMap>;
  struct Space {
    std::shared_ptr<Maps> maps;  // shared with a parent until one of them changes
    uint32_t generation = 0;
  };

  void take_mmap(const PerfDataRecord& record);
  void take_comm(const PerfDataRecord& record);
  void take_fork(const PerfDataRecord& record);
  void take_ksymbol(const PerfDataRecord& record);
  void map_user(int32_t pid, PerfMap map, std::string_view path, uint32_t protection,
                uint32_t flags, const std::string& build_id);
  void map_kernel(const PerfMap& map, std::string_view path, const std::string& build_id);
  static void insert(Maps& maps, const PerfMap& map);
  static const PerfMap* find(const Maps& maps, uint64_t address);
  Space& space(int32_t pid);
  Maps& own_maps(Space& space);
  void note_growth(size_t maps);
  uint32_t object_number(PerfObject::Kind kind, std::string_view name, const std::string& build_id);

  std::vector<PerfObject> objects_;
  std::unordered_map<std::string, uint32_t> object_numbers_;
  std::unordered_map<std::string, std::string> build_ids_;  // of paths
  std::unordered_map<int32_t, Thread> threads_;             // by tid
  std::unordered_map<int32_t, Space> spaces_;               // by pid
  Maps kernel_;
  PerfMap behind_kernel_;
  Maps ksymbols_;     // lie in the kernel's maps, or outside
  size_t grown_ = 0;  // mappings made since they were last counted
  uint32_t kernel_generation_ = 1, last_generation_ = 1;
  std::string kernel_build_id_, reference_symbol_;
  uint64_t reference_address_ = 0;
};

}  // namespace aiflame
