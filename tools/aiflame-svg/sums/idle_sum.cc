// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/idle_sum.h"

#include <map>

#include "libcommon/timeline/idle_causes.h"

namespace aiflame::svg {

IdleSum sum_idle(const FlameTree& tree) {
  IdleSum out;
  std::map<uint32_t, uint64_t> causes;
  for (uint32_t node = 1; node < tree.size();) {
    if (tree.name(node) != kGpuIdle) {
      ++node;
      continue;
    }
    out.total += tree.total(node);
    for (const uint32_t child : tree.children(node))
      causes[tree.name_id(child)] += tree.total(child);
    node = tree.end(node);
  }
  for (const auto& [name, count] : causes) {
    if (count <= out.of_cause) continue;
    out.cause = name;
    out.of_cause = count;
  }
  return out;
}

}  // namespace aiflame::svg
