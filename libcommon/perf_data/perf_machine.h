// SPDX-License-Identifier: MIT
// The recorded machine as its records tell it, at the time of asking: threads and their names,
// what is mapped where in each process and in the kernel.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/perf_data/jitdump.h"
#include "libcommon/perf_data/perf_data.h"
#include "libcommon/perf_data/perf_maps.h"

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

class PerfMachine {
 public:
  struct Thread {
    int32_t pid = -1, tid = -1;
    std::string comm;
    bool named = false;
    uint32_t tag = 0;   // the user's; 0 again when the thread changes its name
    uint64_t gone = 0;  // when it ended, in the order of ends; 0: it did not
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

  // Lasts as long as the machine.
  const PerfObject& object(uint32_t number) const { return objects_[number]; }
  size_t object_count() const { return objects_.size(); }
  // The kernel's own build id, and the symbol whose address at the time of recording is known.
  const std::string& kernel_build_id() const { return kernel_build_id_; }
  const std::string& reference_symbol() const { return reference_symbol_; }
  uint64_t reference_address() const { return reference_address_; }
  // Processes and threads held.
  size_t size() const { return spaces_.size() + threads_.size(); }

 private:
  struct Space {
    PerfMaps maps;
    uint32_t generation = 0;
    uint32_t threads = 0;  // that have not ended
    uint64_t gone = 0;     // as a thread's
  };
  // Ended, the earliest first: its id, and its `gone`, which is another when the id came again.
  struct Gone {
    int32_t id;
    uint64_t number;
  };

  void take_mmap(const PerfDataRecord& record);
  void take_comm(const PerfDataRecord& record);
  void take_fork(const PerfDataRecord& record);
  void take_exit(const PerfDataRecord& record);
  void join(Thread& thread, int32_t pid);
  void leave(Thread& thread);
  void take_ksymbol(const PerfDataRecord& record);
  void map_user(int32_t pid, PerfMap map, std::string_view path, uint32_t protection,
                uint32_t flags, const std::string& build_id);
  void map_kernel(const PerfMap& map, std::string_view path, const std::string& build_id);
  Space& space(int32_t pid);
  void note_growth();
  uint32_t object_number(PerfObject::Kind kind, std::string_view name, const std::string& build_id);

  std::deque<PerfObject> objects_;
  std::unordered_map<std::string, uint32_t> object_numbers_;
  std::unordered_map<std::string, std::string> build_ids_;  // of paths
  std::unordered_map<int32_t, Thread> threads_;             // by tid
  std::unordered_map<int32_t, Space> spaces_;               // by pid
  std::deque<Gone> gone_threads_, gone_spaces_;
  uint64_t ends_ = 0;
  PerfMaps kernel_;
  PerfMap behind_kernel_;
  PerfMaps ksymbols_;  // lie in the kernel's maps, or outside
  size_t grown_ = 0;   // mappings made since they were last counted
  uint32_t kernel_generation_ = 1, last_generation_ = 1;
  std::string kernel_build_id_, reference_symbol_;
  uint64_t reference_address_ = 0;
};

}  // namespace aiflame
