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

}  // namespace aiflame::record
