// SPDX-License-Identifier: MIT
// The recorded machine, rebuilt from its records up to the current one: threads and their names,
// and the mappings of each process and of the kernel.
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

// Something that holds code.
struct PerfObject {
  enum class Kind {
    file,
    jit,  // anonymous memory: /tmp/perf-PID.map names its code
    vdso,
    nothing,  // anonymous memory that was not executable when it was mapped
    kernel,   // the kernel and its modules
    code,     // one function compiled at run time, from a jitdump
    ksymbol,  // one kernel function named by a PERF_RECORD_KSYMBOL: a BPF program, a trampoline
  };
  Kind kind = Kind::file;
  std::string name;      // as perf prints it: a path, [vdso], [kernel.kallsyms], /tmp/perf-7.map
  std::string build_id;  // hexadecimal; empty: unknown
  const JitCode* code = nullptr;  // for Kind::code
};

class PerfMachine {
 public:
  struct Thread {
    int32_t pid = -1, tid = -1;
    std::string comm;
    bool named = false;
    uint32_t tag = 0;   // for the caller; reset to 0 when the thread changes its name
    uint64_t gone = 0;  // the number of its end, counted over all ends; 0: it has not ended
  };

  PerfMachine();

  void take_build_id(const PerfBuildId& build_id);
  // The recorded kernel's release and architecture; "" where they are not known.
  void take_kernel(const std::string& release, const std::string& architecture);
  // Takes a record other than a sample; ignores those that are not about threads or mappings.
  void take(const PerfDataRecord& record);

  // Maps a function that a process has compiled; `object` is the name of its object. It replaces
  // what it overlaps. `code` must outlive the machine.
  void map_code(int32_t pid, const JitCode& code, const std::string& object);

  // The thread of a sample; added if it is new.
  Thread& thread(int32_t pid, int32_t tid);

  // The mapping that holds an address, or nullptr. Valid until the next take().
  const PerfMap* find_user(int32_t pid, uint64_t address);
  const PerfMap* find_kernel(uint64_t address) const;
  // Whether any mapping of the kernel was recorded.
  bool has_kernel() const { return !kernel_.empty(); }
  // Whether a map of find_kernel() is the space after the kernel's code. Only addresses with a
  // symbol are the kernel's there.
  bool is_after_kernel(const PerfMap* map) const { return map == &after_kernel_; }
  // Changes whenever a result of find_…() may change. Different processes have different numbers.
  uint32_t user_generation(int32_t pid);
  uint32_t kernel_generation() const { return kernel_generation_; }

  // Valid as long as the machine.
  const PerfObject& object(uint32_t number) const { return objects_[number]; }
  size_t object_count() const { return objects_.size(); }
  // The kernel's build id, and the symbol whose address at recording time is known.
  const std::string& kernel_build_id() const { return kernel_build_id_; }
  const std::string& kernel_release() const { return kernel_release_; }
  const std::string& kernel_architecture() const { return kernel_architecture_; }
  // Whether that kernel is not this machine's.
  bool has_other_kernel() const { return has_other_kernel_; }
  const std::string& reference_symbol() const { return reference_symbol_; }
  uint64_t reference_address() const { return reference_address_; }
  // Number of processes and threads held.
  size_t size() const { return spaces_.size() + threads_.size(); }

 private:
  struct Space {
    PerfMaps maps;
    uint32_t generation = 0;
    uint32_t threads = 0;  // that have not ended
    uint64_t gone = 0;     // as Thread::gone
  };
  // Ended threads or processes, the earliest first: the id, and its `gone`, which differs if the id
  // was used again.
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
  void check_size() const;
  uint32_t object_number(PerfObject::Kind kind, std::string_view name, const std::string& build_id);

  std::deque<PerfObject> objects_;
  std::unordered_map<std::string, uint32_t> object_numbers_;
  std::unordered_map<std::string, std::string> build_ids_;  // by path
  std::unordered_map<int32_t, Thread> threads_;             // by tid
  std::unordered_map<int32_t, Space> spaces_;               // by pid
  std::deque<Gone> gone_threads_, gone_spaces_;
  uint64_t ends_ = 0;
  PerfMaps kernel_;
  PerfMap after_kernel_;
  PerfMaps ksymbols_;  // inside or outside the kernel's maps
  size_t object_bytes_ = 0;
  uint32_t kernel_generation_ = 1, last_generation_ = 1;
  std::string kernel_build_id_, kernel_release_, kernel_architecture_, reference_symbol_;
  uint64_t reference_address_ = 0;
  bool has_other_kernel_ = false;
};

}  // namespace aiflame
