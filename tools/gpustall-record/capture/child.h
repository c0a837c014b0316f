// SPDX-License-Identifier: MIT
// The recorded command, treated as perf record and timeout(1) treat theirs.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace aiflame::record {

// What the recorder was started with and changes for itself: the command gets it as it was, ignored
// and blocked signals too.
class Inherited {
 public:
  Inherited();  // as it is now
  void restore() const;

 private:
  sigset_t mask_;
  struct sigaction pipe_, child_;
};

class Child {
 public:
  // Forks; the new process waits, before execve(2), for start(). `environment` is added to ours.
  // With `stdout_to_stderr` what it prints goes to standard error. Throws Error.
  Child(const std::vector<std::string>& command,
        const std::vector<std::pair<std::string, std::string>>& environment, bool stdout_to_stderr,
        const Inherited& inherited);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  // Lets it go. False when the command could not be executed: status() says 126 or 127 then, and
  // the reason is on standard error.
  bool start();
  // Whether it has ended; does not wait.
  bool ended();
  // Waits for its end.
  void wait();
  // Its exit status as a shell has it: 128 + N for signal N.
  int status() const { return status_; }

 private:
  pid_t pid_ = -1;
  int start_pipe_ = -1;  // closing it lets the child go
  int error_pipe_ = -1;  // gives errno of a failed execve, or ends
  std::string name_;
  bool reaped_ = false;
  int status_ = 0;
};

}  // namespace aiflame::record
