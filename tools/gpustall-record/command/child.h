// SPDX-License-Identifier: MIT
// The recorded command, run as perf record and timeout(1) run theirs.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/gpustall-record/command/inherited_signals.h"

namespace aiflame::record {

class Child {
 public:
  // Forks; the new process waits for start() before it calls execve(2). `environment` is added to
  // the recorder's. With `stdout_to_stderr` the command's standard output goes to standard error.
  // The command inherits `descriptor`, unless it is -1. The recorder becomes the parent of the
  // command's orphans, so that they stay below it. Throws Error.
  Child(const std::vector<std::string>& command,
        const std::vector<std::pair<std::string, std::string>>& environment, bool stdout_to_stderr,
        int descriptor, const InheritedSignals& inherited);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  // Lets the child execute the command. False when that failed: then status() is 126 or 127, and
  // the reason is on standard error.
  [[nodiscard]] bool start();
  // Reaps the child if it has ended, and orphans that have, without waiting. True once the child is
  // reaped.
  [[nodiscard]] bool reap_if_ended();
  // Waits for the child's end and reaps it.
  void wait();
  // Its exit status as a shell gives it: 128 + N for signal N.
  int status() const { return status_; }

 private:
  void set_status(int status);

  pid_t pid_ = -1;
  int start_pipe_ = -1;  // a byte lets the child go on; end of file lets it exit
  int error_pipe_ = -1;  // the errno of a failed execve, or end of file
  std::string name_;
  bool reaped_ = false;
  int status_ = 0;
};

}  // namespace aiflame::record
