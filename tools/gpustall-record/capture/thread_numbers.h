// SPDX-License-Identifier: MIT
// Numbers of threads of a process that sees others than we do: in a pid namespace of its own, as
// containers are.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace aiflame::record {

class ThreadNumbers {
 public:
  explicit ThreadNumbers(uint32_t pid);
  // What the thread that calls itself `inner` is called here; the process's number when it has
  // gone.
  uint32_t outer(uint32_t inner);

  // The last number of a line `NSpid:\t4711\t1` of /proc/PID/status, and whether it is another than
  // the first; 0 when it is no such line.
  static uint32_t innermost(std::string_view line, bool& nested);

 private:
  uint32_t look(uint32_t inner) const;

  uint32_t pid_;
  bool nested_ = false;
  std::map<uint32_t, uint32_t> known_;
};

}  // namespace aiflame::record
