// SPDX-License-Identifier: MIT
// Translates the thread numbers of a process in another pid namespace, as in a container, to the
// recorder's.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace aiflame::record {

class ThreadNumbers {
 public:
  explicit ThreadNumbers(uint32_t pid);
  // The recorder's number of the thread that has the number `inner` in its own namespace; the
  // process's number when the thread has ended, or after many numbers that no thread has.
  uint32_t outer(uint32_t inner);

  // The last number of a line `NSpid:\t4711\t1` of /proc/PID/status, which is the number in the
  // innermost namespace; 0 when it is another line. Sets `nested` when there are several numbers.
  static uint32_t innermost(std::string_view line, bool& nested);

 private:
  uint32_t look_up(uint32_t inner) const;  // 0 = no such thread

  uint32_t pid_;
  bool nested_ = false;
  // A look-up reads a file for each thread of the process. After some in vain, as many times are
  // left out: a hostile process can make up numbers.
  uint32_t in_vain_ = 0, left_out_ = 0;
  std::map<uint32_t, uint32_t> known_;
};

}  // namespace aiflame::record
