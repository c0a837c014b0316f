// SPDX-License-Identifier: MIT
// What wakes the recorder up: signals, the end of the recorded process, a timer, and input.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace aiflame::record {

class Wakeups {
 public:
  // Blocks the signals that it takes over: make an InheritedSignals first. `watched_pid` 0 = no
  // process to watch. Throws Error.
  explicit Wakeups(pid_t watched_pid);
  ~Wakeups();
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  // Sets the timer to the usual tick, or to the shorter one for when a ring is filling up.
  void tick(bool is_busy);
  void stop_ticking();

  struct Seen {
    bool interrupted = false, child = false, process_ended = false;
    bool snapshot = false;  // SIGUSR2
  };
  // Waits for the next tick, signal, end of the process, or input on one of `inputs`.
  Seen wait(const std::vector<int>& inputs);

 private:
  void tick_every(uint64_t ms);  // 0 = never

  int signals_ = -1, timer_ = -1, process_ = -1;
  uint64_t tick_ms_ = 0;
};

}  // namespace aiflame::record
