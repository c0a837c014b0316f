// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/inherited_signals.h"

namespace aiflame::record {

InheritedSignals::InheritedSignals() {
  sigprocmask(SIG_BLOCK, nullptr, &mask_);
  sigaction(SIGPIPE, nullptr, &pipe_);
  sigaction(SIGCHLD, nullptr, &child_);
}

void InheritedSignals::restore() const {
  sigaction(SIGPIPE, &pipe_, nullptr);
  sigaction(SIGCHLD, &child_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

void block_snapshot_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

bool take_snapshot_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  const timespec at_once{};
  return sigtimedwait(&signals, nullptr, &at_once) == SIGUSR2;
}

}  // namespace aiflame::record
