// SPDX-License-Identifier: MIT
// Finds the perf maps of recorded processes: /tmp/perf-PID.map, in which a compiler at run time
// names its functions for perf. A process in a container writes it there, under its own number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libcommon/process/process_file.h"
#include "tools/gpustall-record/names/process_roots.h"

namespace aiflame::record {

class JitMaps {
 public:
  explicit JitMaps(ProcessRoots& roots) : roots_(roots) {}

  // Notes the process's own number, while it can be asked.
  void see(uint32_t pid);
  void forget(uint32_t pid) { processes_.erase(pid); }
  // The process's map. Nothing when there is none that it, this user or root has written; then it
  // is looked for again after some more calls.
  std::optional<ProcessFile> open(uint32_t pid);
  // The object that frames of such code name, as perf prints it.
  static std::string object(uint32_t pid);

 private:
  struct Process {
    uint32_t number = 0;  // in its own namespace
    uint32_t patience = 0, left = 0;
  };
  Process& process(uint32_t pid);
  std::optional<ProcessFile> open_below(uint64_t root, uint32_t pid, uint32_t number) const;

  ProcessRoots& roots_;
  std::map<uint32_t, Process> processes_;  // by pid
};

// The number of a process in its innermost namespace, by its /proc/PID/status; 0 = not told.
uint32_t innermost_pid(const std::string& status);

}  // namespace aiflame::record
