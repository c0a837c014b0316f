// SPDX-License-Identifier: MIT
// The names of processes (`comm`, as the kernel calls them). A name holds until the process has
// another program, or another process gets its number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/gpustall-record/join/recent_processes.h"

namespace aiflame::record {

class Comms {
 public:
  void set(uint32_t pid, std::string_view comm) { names_.at(pid) = {std::string(comm), false}; }
  // Gives the process the name of one of its threads, if it has no name yet.
  void set_if_unknown(uint32_t pid, std::string_view comm) {
    const Name* known = names_.find(pid);
    if (known == nullptr || known->is_of_before) set(pid, comm);
  }
  // Takes the name from /proc, if the process has no name yet.
  void set_from_proc(uint32_t pid);
  // The program in the process has ended. What is still to be written of it keeps its name, until
  // the process, or another one with its number, has a new name.
  void end_program(uint32_t pid) {
    if (Name* known = names_.find(pid); known != nullptr) known->is_of_before = true;
  }
  // "[device]" for a process without a name. Valid until the next call.
  const std::string& find(uint32_t pid);

 private:
  struct Name {
    std::string comm;
    bool is_of_before = false;
  };
  RecentProcesses<Name> names_;
};

}  // namespace aiflame::record
