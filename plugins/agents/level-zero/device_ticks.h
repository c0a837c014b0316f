/* SPDX-License-Identifier: MIT
 *
 * The timestamps of a device are ticks of its own clock. Only the low bits are visible, so they
 * wrap around (32 bits at 19.2 MHz: every 224 seconds).
 */
#pragma once

#include <cstdint>

namespace aiflame::agent::level_zero {

struct DeviceTicks {
  uint64_t per_second = 0;  // 0 = not known, so times are unknown too
  unsigned bits = 64;

  uint64_t mask() const { return bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1; }
  uint64_t nanoseconds(uint64_t ticks) const {
    // in two parts, so that the products fit: no clock is faster than 10 GHz
    return ticks / per_second * 1000000000 + ticks % per_second * 1000000000 / per_second;
  }
  uint64_t between(uint64_t first, uint64_t second) const { return (second - first) & mask(); }
  // When the clock showed `ticks`, by another clock that showed `then_ns` when this one showed
  // `then`. The two moments are less than half a round apart.
  uint64_t time_of(uint64_t ticks, uint64_t then, uint64_t then_ns) const {
    const uint64_t behind = between(then, ticks);
    if (behind <= mask() / 2) return then_ns + nanoseconds(behind);
    const uint64_t before = nanoseconds(between(ticks, then));
    return then_ns > before ? then_ns - before : 0;
  }
};

}  // namespace aiflame::agent::level_zero
