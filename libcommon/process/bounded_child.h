// SPDX-License-Identifier: MIT
// Work on what is not to be trusted, with code that may not bear it: in a process of its own, with
// bounds on its time and its output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aiflame {

struct ChildLimits {
  unsigned cpu_seconds = 10;
  // For one that waits for something. Not near the other: what a child finds must not depend on
  // how busy the machine is.
  unsigned seconds = 300;
  uint64_t output = uint64_t{1} << 20;  // bytes
};

struct ChildResult {
  static constexpr int kKilled = -1;      // by a signal, or for a limit
  static constexpr int kNoProgram = 127;  // as shells have it
  int status = kKilled;                   // else its exit status
  bool limited = false;                   // it met one of the limits
  std::string output;                     // as far as it came
};

// Runs `body` in a copy of this process, its standard output read here, standard input and error
// /dev/null. The copy ends with what `body` returns, without the destructors of this process.
ChildResult run_in_child(const std::function<int()>& body, const ChildLimits& limits);

// Runs a program of PATH, without a shell; `input` is its descriptor 3. Where there is none the
// exit status is kNoProgram.
ChildResult run_in_child(const std::vector<std::string>& command, int input,
                         const ChildLimits& limits);

}  // namespace aiflame
