// SPDX-License-Identifier: MIT
// The names of a tree and their colours as text. tree_data.h describes the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/data/tree_cut.h"
#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/text/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class NameText {
 public:
  // Orders the names of the nodes that `cut` takes, and the names `more`.
  NameText(const FlameTree& tree, const TreeSizes& sizes, const TreeCut& cut,
           const std::vector<uint32_t>& more);

  // How many names there are, and how many nodes have them.
  size_t names() const { return order_.size(); }
  uint64_t nodes() const { return nodes_; }
  // By name id: the name's line.
  const std::vector<uint32_t>& lines() const { return lines_; }

  // Makes the text. To be called once.
  void make(const Palette& palette);
  uint64_t size() const { return names_.size() + colours_.size(); }
  // Writes the elements "names", each with about `chunk` bytes of text, and the element "colours".
  void put(const Sink& sink, size_t chunk) const;

 private:
  std::vector<uint32_t> count_uses(const TreeSizes& sizes, const TreeCut& cut) const;
  size_t cut_before(size_t end) const;

  const FlameTree& tree_;
  std::vector<uint32_t> order_;  // name ids, by line
  std::vector<uint32_t> lines_;
  uint64_t nodes_ = 0;
  std::string names_, colours_;
};

}  // namespace aiflame::svg
