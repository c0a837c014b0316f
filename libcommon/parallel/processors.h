// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

namespace aiflame {

// The processors that this program may run on, as limited by taskset(1) and by containers' cpusets.
// Read once, at the first call: threads of the program may be limited to fewer later.
inline const cpu_set_t& processor_set() {
  static const cpu_set_t set = [] {
    cpu_set_t out;
    if (sched_getaffinity(0, sizeof out, &out) == 0) return out;
    CPU_ZERO(&out);
    CPU_SET(0, &out);
    return out;
  }();
  return set;
}

// The number of these processors. std::thread::hardware_concurrency() ignores such limits.
inline unsigned processors() {
  return static_cast<unsigned>(CPU_COUNT(&processor_set()));
}

}  // namespace aiflame
