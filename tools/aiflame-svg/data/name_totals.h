// SPDX-License-Identifier: MIT
// What each name counts in the whole tree, for files that hold only its widest nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class NameTotals {
 public:
  // Sums the whole tree by name, and keeps the names that count most, by themselves or with all on
  // top of them: as many as fit `room` bytes even if none of them had a line yet.
  NameTotals(const FlameTree& tree, const TreeSizes& sizes, uint64_t room);

  const std::vector<uint32_t>& names() const { return names_; }
  // The text and the lines of the names take about as many bytes, or fewer.
  uint64_t size() const { return size_; }
  // The content of the element "totals" (tree_data.h). `lines` are the names' lines, by name id.
  std::string text(const std::vector<uint32_t>& lines) const;

 private:
  // The counts of a name's own, and of all stacks that it is in.
  struct Side {
    uint64_t self = 0, total = 0;
    uint32_t end = 0;  // while summing: of the outermost node met last
  };
  struct Sums {
    std::vector<Side> after, before;  // by name id; `before` only in a differential
    std::vector<uint64_t> room;       // FlameTree::self_room(), where it is shown
  };

  Sums sum() const;
  void sum_part(uint32_t first, uint32_t last, Sums& sums) const;
  void open_path(uint32_t node, Sums& sums) const;
  std::vector<uint32_t> greatest(uint64_t Side::*count) const;
  uint64_t entry_size(uint32_t name) const;

  const FlameTree& tree_;
  const TreeSizes& sizes_;
  Sums sums_;
  std::vector<uint32_t> names_;
  uint64_t size_ = 0;
};

}  // namespace aiflame::svg
