// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace aiflame::nsys {

// A time of an export. The first ones may lie before the recording's zero, and count as zero.
inline uint64_t nanoseconds(int64_t time) {
  return time < 0 ? 0 : static_cast<uint64_t>(time);
}

}  // namespace aiflame::nsys
