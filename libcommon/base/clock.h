// SPDX-License-Identifier: MIT
#pragma once

#include <time.h>

#include <cstdint>

namespace aiflame {

// Nanoseconds of CLOCK_MONOTONIC, the clock of all recordings.
inline uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace aiflame
