// SPDX-License-Identifier: MIT
// The meaning of the colours, in one or more lines under the title.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class Legend {
 public:
  Legend() = default;
  // Explains the layers and the stall reasons of the tree.
  Legend(const FlameTree& tree, const Palette& palette, const Drawing& drawing);

  double height() const;
  // `top` is its upper edge.
  std::string svg(double top) const;

 private:
  struct Item {
    std::string fill;
    std::string text;
  };
  struct Row {
    std::string lead;  // a text before its items, or empty
    std::vector<Item> items;
  };
  // In a row of their own, or as many as it takes.
  void add_rows(const std::string& lead, std::vector<Item> items);
  double swatch() const { return font_.size; }
  double item_width(const Item& item) const;
  double lead_width(const Row& row) const;
  double row_height() const { return 1.5 * font_.size + 2; }

  Font font_;
  double width_ = 0;  // of the picture
  std::vector<Row> rows_;
};

}  // namespace aiflame::svg
