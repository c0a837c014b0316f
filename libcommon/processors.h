// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

namespace aiflame {

// How many processors this program may run on, as taskset(1) and containers' cpusets have it, which
// std::thread::hardware_concurrency() does not ask.
inline unsigned processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

}  // namespace aiflame
