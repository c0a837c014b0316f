// SPDX-License-Identifier: MIT
// The names of processes (`comm`, as the kernel calls them).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace aiflame::record {

class Comms {
 public:
  void set(uint32_t pid, const std::string& comm) { comms_[pid] = comm; }
  // Gives the process the name of one of its threads, if it has no name yet.
  void set_if_unknown(uint32_t pid, std::string_view comm) { comms_.try_emplace(pid, comm); }
  // Takes the name from /proc, if the process has no name yet.
  void set_from_proc(uint32_t pid);
  // "[device]" for a process without a name.
  const std::string& find(uint32_t pid) const;

 private:
  std::map<uint32_t, std::string> comms_;
};

}  // namespace aiflame::record
