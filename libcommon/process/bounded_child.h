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
  // Bytes that it may write to, beyond what this process has. Disassemblers of the largest kernels
  // take a tenth.
  uint64_t memory = uint64_t{4} << 30;
};

// killed: by SIGKILL, and not by us; the kernel does that where memory runs out.
enum class ChildLimit { none, time, output, killed };

struct ChildResult {
  static constexpr int kKilled = -1;      // by a signal, or at a limit
  static constexpr int kNoProgram = 127;  // as in shells
  int status = kKilled;                   // or the exit status
  ChildLimit limit = ChildLimit::none;    // what ended it too early
  std::string output;                     // up to the end or the limit
};

// Runs `body` in a forked copy of this process and collects its standard output; standard input and
// error are /dev/null. The copy exits with the status that `body` returns, 126 when it throws, and
// runs no destructors of this process. Where this process has dropped rights (sandbox.h), the copy
// keeps only that of loading libraries.
ChildResult run_in_child(const std::function<int()>& body, const ChildLimits& limits);

// Runs a program from PATH, without a shell; `input` becomes its descriptor 3. The exit status is
// kNoProgram when it cannot be run. A process that has dropped rights runs it through its door
// (program_door.h).
ChildResult run_in_child(const std::vector<std::string>& command, int input,
                         const ChildLimits& limits);

}  // namespace aiflame
