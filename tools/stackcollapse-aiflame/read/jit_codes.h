// SPDX-License-Identifier: MIT
// Code compiled at run time by programs that map their jit-PID.dump, put among the mappings of
// their processes at the time it was loaded: addresses are used again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "libcommon/perf_data/jitdump.h"
#include "libcommon/perf_data/perf_machine.h"

namespace aiflame::collapse {

class JitCodes {
 public:
  explicit JitCodes(PerfMachine& machine) : machine_(machine) {}

  // A record other than a sample: a mapping may be that of a dump. `is_monotonic`: times are of the
  // clock that dumps have; else all of a dump is loaded at once.
  void take(const PerfDataRecord& record, bool is_monotonic);
  // Loads what a process had compiled up to then.
  void advance(int32_t pid, uint64_t time) {
    if (!dumps_.empty()) load(pid, time);
  }
  // Says which dumps were not read to their end.
  void report() const;

 private:
  struct Dump {
    std::string path;
    std::unique_ptr<JitDump> dump;
    size_t next = 0;  // of its codes
  };
  void load(int32_t pid, uint64_t time);

  PerfMachine& machine_;
  std::unordered_map<int32_t, Dump> dumps_;  // by pid
};

}  // namespace aiflame::collapse
