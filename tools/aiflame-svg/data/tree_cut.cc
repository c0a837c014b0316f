// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/tree_cut.h"

#include <algorithm>

namespace aiflame::svg {

TreeCut::TreeCut(const FlameTree& tree, const TreeSizes& sizes, uint64_t goal) {
  uint64_t room = goal;
  size_t one = TreeSizes::kClasses - 1;
  for (; one > 0 && sizes.class_size(one) <= room; --one) room -= sizes.class_size(one);
  if (one == 0) return;
  all_from_ = TreeSizes::least_of(one + 1);
  some_from_ = TreeSizes::least_of(one);
  // the names of a class are assumed to divide as its nodes do
  const auto share =
      static_cast<long double>(room) / static_cast<long double>(sizes.class_size(one));
  room = static_cast<uint64_t>(share * static_cast<long double>(sizes.class_size_of_nodes(one)));
  uint64_t node = 0;
  for (size_t part = 0; node < tree.size() && sizes.part_size(part, one) <= room; ++part) {
    room -= sizes.part_size(part, one);
    node += sizes.part_nodes();
  }
  for (; node < tree.size(); ++node) {
    const uint64_t width = sizes.width(static_cast<uint32_t>(node));
    if (TreeSizes::class_of(width) != one) continue;
    const uint64_t size = sizes.node_size(static_cast<uint32_t>(node), width);
    if (size > room) break;
    room -= size;
  }
  some_end_ = static_cast<uint32_t>(std::min<uint64_t>(node, tree.size()));
}

}  // namespace aiflame::svg
