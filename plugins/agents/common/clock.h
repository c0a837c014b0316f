/* SPDX-License-Identifier: MIT
 *
 * The clocks of the records. Inline: a launch reads one.
 */
#pragma once

#include <time.h>

#include <cstdint>

namespace aiflame::agent {

inline uint64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

inline uint64_t monotonic_ns() {
  return nanoseconds_of(CLOCK_MONOTONIC);
}

inline uint64_t monotonic_raw_ns() {
  return nanoseconds_of(CLOCK_MONOTONIC_RAW);
}

}  // namespace aiflame::agent
