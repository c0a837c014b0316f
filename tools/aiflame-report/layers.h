// SPDX-License-Identifier: MIT
// The kinds of things that a report adds up; libcommon/device/stack_layers.h finds them in a stack.
#pragma once

#include "libcommon/device/stack_layers.h"

namespace aiflame::report {

enum class Kind {
  reason,
  kernel,
  framework_operator,
  module_class,
  function,
  line,
  instruction,
  frame,
  finding,  // a stall reason in a kernel
  launch,   // of a kernel, in one size: told by the input, not added up from stacks
  rank,     // of a job: a root frame `rank 3`
  device,   // what a device did: computation, communication, copies, nothing and why
  idle,     // a function that stands on idle time of a device
  memory    // who holds it, and what becomes of it: a function and a root frame `[freed soon]`
};
inline constexpr int kKinds = 14;

// "kernel"
const char* kind_name(Kind kind);

}  // namespace aiflame::report
