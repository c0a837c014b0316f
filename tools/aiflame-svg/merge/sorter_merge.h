// SPDX-License-Identifier: MIT
// Merges the runs of several sorters.
#pragma once

#include <vector>

#include "tools/aiflame-svg/merge/stack_runs.h"
#include "tools/aiflame-svg/merge/stack_sorter.h"

namespace aiflame::svg {

// The distinct stacks of all sorters.
struct MergedStacks {
  // Each part is one run, and all its stacks come after those of the previous part.
  std::vector<StackRuns> parts;
  // A name's number is its place in the order of sorted_names().
  NameTable names;
  uint32_t root_name;
};

MergedStacks merge_sorters(std::vector<StackSorter>&& sorters);

}  // namespace aiflame::svg
