// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/legend.h"

#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/text/svg_number.h"
#include "tools/aiflame-svg/text/xml.h"

namespace aiflame::svg {
namespace {

constexpr double kItemGap = 18;
constexpr double kTextGap = 5;

}  // namespace

Legend::Legend(const FlameTree& tree, const std::vector<Frame>& frames, const Drawing& drawing)
    : font_(drawing.font), width_(static_cast<double>(drawing.width)) {
  std::vector<Item> items;
  bool present[kLayers] = {};
  // the root is not a frame of the program
  for (size_t i = 1; i < frames.size(); ++i)
    present[static_cast<int>(layer_of(tree.name(frames[i].node)))] = true;
  for (int i = 0; i < kLayers; ++i) {
    const Layer layer = static_cast<Layer>(i);
    if (present[i]) items.push_back({rgb(layer_colour(layer)), layer_title(layer)});
  }
  double used = 0;
  for (Item& item : items) {
    const double width = item_width(item);
    if (rows_.empty() || used + width > width_ - 2 * kSidePad) {
      rows_.emplace_back();
      used = 0;
    }
    used += width;
    rows_.back().push_back(std::move(item));
  }
}

double Legend::item_width(const Item& item) const {
  return swatch() + kTextGap + text_width(item.text, font_) + kItemGap;
}

double Legend::height() const {
  return static_cast<double>(rows_.size()) * row_height() + 4;
}

std::string Legend::svg(double top) const {
  if (rows_.empty()) return "";
  std::string out = "<g id=\"legend\">\n";
  for (const std::vector<Item>& row : rows_) {
    double width = -kItemGap;  // no gap after the last item
    for (const Item& item : row) width += item_width(item);
    double x = (width_ - width) / 2;
    for (const Item& item : row) {
      out += "<rect x=\"" + number(x, 1) + "\" y=\"" + number(top, 1) + "\" width=\"" +
             number(swatch()) + "\" height=\"" + number(swatch()) + "\" fill=\"" + item.fill +
             "\" rx=\"2\" ry=\"2\"/>";
      out += "<text x=\"" + number(x + swatch() + kTextGap, 1) + "\" y=\"" +
             number(top + 0.85 * swatch(), 1) + "\">" + xml(item.text) + "</text>\n";
      x += item_width(item);
    }
    top += row_height();
  }
  return out + "</g>\n";
}

}  // namespace aiflame::svg
