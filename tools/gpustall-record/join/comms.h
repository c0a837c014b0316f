// SPDX-License-Identifier: MIT
// What processes are called.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace aiflame::record {

class Comms {
 public:
  void set(uint32_t pid, const std::string& comm) { comms_[pid] = comm; }
  // As a thread of it is called, of one that nobody told of and that may have ended already.
  void set_unknown(uint32_t pid, std::string_view comm) { comms_.try_emplace(pid, comm); }
  // As /proc says, of one that nobody told of.
  void look_up(uint32_t pid);
  // `[device]` of a process that is not known.
  const std::string& of(uint32_t pid) const;

 private:
  std::map<uint32_t, std::string> comms_;
};

}  // namespace aiflame::record
