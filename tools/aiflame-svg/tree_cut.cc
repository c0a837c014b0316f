// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree_cut.h"

#include <algorithm>
#include <vector>

#include "libcommon/parallel.h"

namespace aiflame {
namespace {

// Nodes that are looked at by one thread at a time.
constexpr uint32_t kPart = 1U << 18;

}  // namespace

TreeCut::TreeCut(const FlameTree& tree, const TreeSizes& sizes, uint64_t goal) {
  uint64_t room = goal;
  size_t one = TreeSizes::kClasses - 1;
  for (; one > 0 && sizes.class_size(one) <= room; --one) room -= sizes.class_size(one);
  if (one == 0) return;
  all_from_ = TreeSizes::least_of(one + 1);
  some_from_ = TreeSizes::least_of(one);
  // names are taken to be as many as nodes are
  const auto share =
      static_cast<long double>(room) / static_cast<long double>(sizes.class_size(one));
  some_end_ = find_end(
      tree, sizes,
      static_cast<uint64_t>(share * static_cast<long double>(sizes.class_size_of_nodes(one))));
}

uint32_t TreeCut::find_end(const FlameTree& tree, const TreeSizes& sizes, uint64_t room) const {
  const auto size_of = [&](uint32_t node) -> uint64_t {
    const uint64_t width = sizes.width(node);
    return width >= some_from_ && width < all_from_ ? sizes.node_size(node, width) : 0;
  };
  std::vector<uint64_t> parts((tree.size() + kPart - 1) / kPart);
  in_parallel(parts.size(), [&](size_t part) {
    const uint64_t end = std::min<uint64_t>(tree.size(), (part + 1) * kPart);
    uint64_t size = 0;
    for (auto node = static_cast<uint32_t>(part * kPart); node < end; ++node) size += size_of(node);
    parts[part] = size;
  });
  uint64_t node = 0;
  for (size_t part = 0; part < parts.size() && parts[part] <= room; ++part) {
    room -= parts[part];
    node += kPart;
  }
  for (; node < tree.size(); ++node) {
    const uint64_t size = size_of(static_cast<uint32_t>(node));
    if (size > room) break;
    room -= size;
  }
  return static_cast<uint32_t>(std::min<uint64_t>(node, tree.size()));
}

}  // namespace aiflame
