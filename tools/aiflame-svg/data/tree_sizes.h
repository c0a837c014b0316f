// SPDX-License-Identifier: MIT
// Estimates how much text the nodes of a tree take, by their widths.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/data/packed_number.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class TreeSizes {
 public:
  // Classes of widths: exact below 32, then 16 for each doubling, so that "widest first" holds
  // within 6 %.
  static constexpr size_t kClasses = size_t{64} * 16;
  static size_t class_of(uint64_t width) {
    if (width < 32) return static_cast<size_t>(width);
    const auto shift = static_cast<size_t>(std::bit_width(width)) - 5;
    return shift * 16 + static_cast<size_t>(width >> shift);
  }
  // The least width in the class.
  static uint64_t least_of(size_t one);

  explicit TreeSizes(const FlameTree& tree);

  uint64_t width(uint32_t node) const {
    return std::max(tree_.total(node), tree_.total_before(node));
  }
  // An estimate: the line of the name, and the nodes left out on top of this one, are not known
  // yet.
  uint64_t node_size(uint32_t node, uint64_t width) const {
    const uint64_t own = tree_.children(node).empty() ? width : width / 16;
    return 1 + name_number_size_ + number_size(own) * (tree_.differential() ? 2 : 1);
  }
  uint64_t name_size(uint32_t name) const;

  // The size of all nodes of a class, and of the names whose widest node is one of them.
  uint64_t class_size(size_t one) const { return sizes_[one] + name_sizes_[one]; }
  uint64_t class_size_of_nodes(size_t one) const { return sizes_[one]; }
  // The tree in consecutive parts of part_nodes() nodes each; the size of one part's nodes.
  uint32_t part_nodes() const { return part_nodes_; }
  uint64_t part_size(size_t part, size_t one) const { return parts_[part][one]; }
  // How many descendants of `node` have counts.
  uint32_t frames_below(uint32_t node) const;

 private:
  using Sizes = std::array<uint64_t, kClasses>;
  [[nodiscard]] bool measure(size_t part, std::vector<uint64_t>& widest);

  const FlameTree& tree_;
  size_t name_number_size_;
  uint32_t part_nodes_;
  std::vector<Sizes> parts_;
  Sizes sizes_{}, name_sizes_{};
  std::vector<uint64_t> widest_;  // by name: the greatest width of its nodes
  // By node: how many nodes before it have no count. Empty when all nodes have counts.
  std::vector<uint32_t> without_count_;
};

}  // namespace aiflame::svg
