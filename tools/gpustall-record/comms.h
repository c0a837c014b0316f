// SPDX-License-Identifier: MIT
// What processes are called.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace aiflame {

class Comms {
 public:
  void set(uint32_t pid, const std::string& comm) { comms_[pid] = comm; }
  // As /proc says, of one that nobody told of.
  void look_up(uint32_t pid);
  // `[device]` of a process that is not known.
  const std::string& of(uint32_t pid) const;

 private:
  std::map<uint32_t, std::string> comms_;
};

}  // namespace aiflame
