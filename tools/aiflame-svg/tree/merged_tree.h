// SPDX-License-Identifier: MIT
// Sorted stacks as a flame tree.
#pragma once

#include <vector>

#include "tools/aiflame-svg/merge/stack_sorter.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// The tree of the stacks of all sorters, with an alphabetical x axis.
FlameTree merged_tree(std::vector<StackSorter>&& sorters);
FlameTree merged_tree(StackSorter&& sorter);

}  // namespace aiflame::svg
