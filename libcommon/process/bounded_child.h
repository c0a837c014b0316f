// SPDX-License-Identifier: MIT
// Runs fragile code on untrusted input in a limited child process: its time and output are bounded,
// and a crash does not reach the parent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aiflame {

struct ChildLimits {
  unsigned cpu_seconds = 10;
  // Wall-clock time, for a child that waits. Far above cpu_seconds, since the result must not
  // depend on how busy the machine is.
  unsigned seconds = 300;
  uint64_t output = uint64_t{1} << 20;  // bytes
};

struct ChildResult {
  static constexpr int kKilled = -1;      // by a signal, or at a limit
  static constexpr int kNoProgram = 127;  // as in shells
  int status = kKilled;                   // or the exit status
  bool limited = false;                   // it reached a limit
  std::string output;                     // up to the end or the limit
};

// Runs `body` in a forked copy of this process and collects its standard output; standard input and
// error are /dev/null. The copy exits with the status that `body` returns, 126 when it throws, and
// runs no destructors of this process.
ChildResult run_in_child(const std::function<int()>& body, const ChildLimits& limits);

// Runs a program from PATH, without a shell; `input` becomes its descriptor 3. The exit status is
// kNoProgram when it cannot be run.
ChildResult run_in_child(const std::vector<std::string>& command, int input,
                         const ChildLimits& limits);

}  // namespace aiflame
