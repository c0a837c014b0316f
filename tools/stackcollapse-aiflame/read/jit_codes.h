// SPDX-License-Identifier: MIT
// Code compiled at run time, by programs that map their jit-PID.dump. Each piece is mapped into its
// process at the time it was loaded, since addresses are reused.
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

  // Takes a record that is no sample; it may map a dump. `is_monotonic`: the times are of the clock
  // that dumps have. Otherwise all of a dump is loaded at once.
  void take(const PerfDataRecord& record, bool is_monotonic);
  // Loads what a process had compiled up to a time in nanoseconds.
  void advance(int32_t pid, uint64_t time) {
    if (!dumps_.empty()) load(pid, time);
  }
  // Warns about damaged dumps.
  void report() const;

 private:
  struct Dump {
    std::string path;
    std::unique_ptr<JitDump> dump;
    size_t next = 0;  // its first code that is not loaded
  };
  void load(int32_t pid, uint64_t time);

  PerfMachine& machine_;
  std::unordered_map<int32_t, Dump> dumps_;  // by pid
};

}  // namespace aiflame::collapse
