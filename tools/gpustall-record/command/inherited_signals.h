// SPDX-License-Identifier: MIT
// The signal settings that the recorder was started with. It changes them for itself, and the
// command must get them unchanged, ignored and blocked signals included.
#pragma once

#include <signal.h>

namespace aiflame::record {

class InheritedSignals {
 public:
  InheritedSignals();  // takes the settings of this moment
  void restore() const;

 private:
  sigset_t mask_;
  struct sigaction pipe_, child_;
};

// SIGUSR2 asks for a snapshot, and never ends the recorder: somebody who sends it to all recorders
// need not know which of them takes snapshots, nor whether they have started yet.
void block_snapshot_signal();
// Whether the signal has come since the last call.
[[nodiscard]] bool take_snapshot_signal();

}  // namespace aiflame::record
