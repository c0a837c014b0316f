// SPDX-License-Identifier: MIT
// The names of processes (`comm`, as the kernel calls them). A name holds from when it was given
// until the process has another program, or another process gets its number. Samples are written a
// while after they were taken, so the last few names of a process are kept with their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gpustall-record/budget/recent_processes.h"

namespace aiflame::record {

// Times are those of samples, in ns.
class Comms {
 public:
  static constexpr uint64_t kNow = UINT64_MAX;

  // From `time` on the process has this name.
  void set(uint32_t pid, uint64_t time, std::string_view comm);
  // Gives the process the name of one of its threads, if it has no name now.
  void set_if_unknown(uint32_t pid, uint64_t time, std::string_view comm);
  // Takes the name from /proc, if the process has no name now.
  void set_from_proc(uint32_t pid, uint64_t time);
  // The program in the process has ended. Until the process, or another one with its number, has a
  // new name, it keeps this one.
  void end_program(uint32_t pid, uint64_t time);
  // "[device]" for a process without a name. Valid until the next call.
  const std::string& find(uint32_t pid, uint64_t time);

 private:
  struct Name {
    std::string comm;
    uint64_t until = kNow;
  };
  using Names = std::vector<Name>;  // of a process, the oldest first
  // A program that runs another one 50 times a second has its names right for 80 ms.
  static constexpr size_t kMostOfProcess = 4;

  RecentProcesses<Names> names_;
};

}  // namespace aiflame::record
