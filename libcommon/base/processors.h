// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

namespace aiflame {

// The processors that this program may run on, as taskset(1) and containers' cpusets have it. Asked
// once: its threads may be kept to fewer.
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

// How many, which std::thread::hardware_concurrency() does not tell.
inline unsigned processors() {
  return static_cast<unsigned>(CPU_COUNT(&processor_set()));
}

}  // namespace aiflame
