// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/trace.h"

#include <algorithm>
#include <tuple>

namespace aiflame::trace {

void Flows::sort() {
  std::sort(starts.begin(), starts.end(), [](const FlowEnd& a, const FlowEnd& b) {
    return std::tie(a.id, a.time, a.thread) < std::tie(b.id, b.time, b.thread);
  });
  std::sort(ends.begin(), ends.end(), [](const FlowEnd& a, const FlowEnd& b) {
    return std::tie(a.thread, a.time, a.id) < std::tie(b.thread, b.time, b.id);
  });
}

}  // namespace aiflame::trace
