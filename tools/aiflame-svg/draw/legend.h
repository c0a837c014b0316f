// SPDX-License-Identifier: MIT
// What the colours mean: one line under the title, or as many as the width takes.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-svg/colour/colour.h"
#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class Legend {
 public:
  Legend() = default;
  // Of the layers that `frames` have or, where there are two counts, of what changed.
  Legend(const FlameTree& tree, const std::vector<Frame>& frames, const Drawing& drawing);

  double height() const;
  // `top` is its upper edge.
  std::string svg(double top) const;

 private:
  struct Item {
    Colour colour;
    std::string text;
  };
  double swatch() const { return font_.size; }
  double item_width(const Item& item) const;
  double row_height() const { return 1.5 * font_.size + 2; }

  Font font_;
  double width_ = 0;  // of the image
  std::vector<std::vector<Item>> rows_;
};

}  // namespace aiflame::svg
