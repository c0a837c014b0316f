/* SPDX-License-Identifier: MIT
 *
 * The timestamps of a device: ticks of a clock of its own, of which only the low bits are told, so
 * that they begin again at 0 (32 bits of 19.2 MHz: each 224 seconds).
 */
#pragma once

#include <cstdint>

namespace aiflame::agent::level_zero {

struct DeviceTicks {
  uint64_t per_second = 0;  // 0 = not known: nothing can be said of times
  unsigned bits = 64;

  uint64_t mask() const { return bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1; }
  uint64_t nanoseconds(uint64_t ticks) const {
    // in two parts, whose products have room: no clock is faster than 10 GHz
    return ticks / per_second * 1000000000 + ticks % per_second * 1000000000 / per_second;
  }
  uint64_t between(uint64_t first, uint64_t second) const { return (second - first) & mask(); }
  // When the clock showed `ticks`, which is less than half a round away from the moment at which it
  // showed `then`, and another clock `then_ns`.
  uint64_t time_of(uint64_t ticks, uint64_t then, uint64_t then_ns) const {
    const uint64_t behind = between(then, ticks);
    if (behind <= mask() / 2) return then_ns + nanoseconds(behind);
    const uint64_t before = nanoseconds(between(ticks, then));
    return then_ns > before ? then_ns - before : 0;
  }
};

}  // namespace aiflame::agent::level_zero
