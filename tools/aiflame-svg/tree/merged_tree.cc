// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree/merged_tree.h"

#include <utility>

#include "tools/aiflame-svg/merge/sorter_merge.h"
#include "tools/aiflame-svg/tree/tree_assembly.h"

namespace aiflame::svg {

FlameTree merged_tree(std::vector<StackSorter>&& sorters) {
  return TreeAssembly(merge_sorters(std::move(sorters))).finish();
}

FlameTree merged_tree(StackSorter&& sorter) {
  std::vector<StackSorter> sorters;
  sorters.push_back(std::move(sorter));
  return merged_tree(std::move(sorters));
}

}  // namespace aiflame::svg
