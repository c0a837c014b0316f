// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/host_calls.h"

#include <algorithm>
#include <tuple>

namespace aiflame::nsys {
namespace {

bool earlier(const HostCall& a, const HostCall& b) {
  return std::tie(a.thread, a.time, a.id) < std::tie(b.thread, b.time, b.id);
}

}  // namespace

void sort_by_time(std::vector<HostCall>& calls) {
  std::sort(calls.begin(), calls.end(), earlier);
}

bool any_between(const std::vector<HostCall>& calls, uint64_t thread, uint64_t begin,
                 uint64_t end) {
  const auto at =
      std::lower_bound(calls.begin(), calls.end(),
                       HostCall{.thread = thread, .time = begin, .id = INT64_MIN}, earlier);
  return at != calls.end() && at->thread == thread && at->time < end;
}

}  // namespace aiflame::nsys
