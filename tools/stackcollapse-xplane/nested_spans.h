// SPDX-License-Identifier: MIT
// Events of a line that hold others, such as a loop its body, and each one's own time (pure):
//
//   while.3   |================================|     own: what fusion.1 and copy.2 leave
//   fusion.1     |==========|
//   copy.2                      |======|
#pragma once

#include <cstdint>
#include <vector>

namespace aiflame::xplane {

struct Span {
  static constexpr uint32_t kNone = UINT32_MAX;

  int64_t begin = 0, end = 0;  // ps
  uint32_t frame = 0;          // the caller's
  uint32_t outer = kNone;      // the span that holds it
  uint64_t own = 0;            // ps
};

// Sorts by begin, the longer first, and fills in `outer` and `own`. What ends after the one that it
// began in takes from that one what both last.
void nest(std::vector<Span>& spans);

}  // namespace aiflame::xplane
