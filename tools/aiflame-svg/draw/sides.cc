// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/sides.h"

#include <algorithm>
#include <utility>

namespace aiflame::svg {
double share(uint64_t part, uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
}

Sides sides_of(const FlameTree& tree, uint32_t node, const Drawing& drawing, uint64_t total,
               bool with_descendants) {
  const auto [first, second] = tree.change(node, with_descendants);
  Sides sides{first, second, tree.total_before(FlameTree::kRoot), total};
  // --total stands for both sides
  if (total > tree.total(FlameTree::kRoot)) sides.all_before = std::max(sides.all_before, total);
  if (drawing.negate) return {sides.after, sides.before, sides.all_after, sides.all_before};
  return sides;
}

OneSided one_sided(const FlameTree& tree, const Drawing& drawing) {
  OneSided out;
  for (uint32_t node = 1; node < tree.size();) {
    const uint64_t first = tree.total_before(node), second = tree.total(node);
    if (first > 0 && second > 0) {
      ++node;
      continue;
    }
    out.before += first;
    out.after += second;
    node = tree.end(node);
  }
  if (drawing.negate) std::swap(out.before, out.after);
  return out;
}

}  // namespace aiflame::svg
