// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/legend.h"

#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

constexpr double kItemGap = 18;
constexpr double kTextGap = 5;
constexpr double kLeadGap = 10;

}  // namespace

Legend::Legend(const FlameTree& tree, const Palette& palette, const Drawing& drawing)
    : font_(drawing.font), width_(static_cast<double>(drawing.width)) {
  bool layers[kLayers] = {}, categories[StallReason::kCategories] = {};
  // frames of a kind may all be too narrow to be drawn, and the page shows them
  for (uint32_t i = 0; i < tree.names().size(); ++i) {
    const std::string_view name = tree.names()[i];
    if (name.empty()) continue;  // the root is no frame of the program
    const Layer layer = layer_of(name);
    const auto reason = palette.reasons().find(name);
    if (palette.classic() && layer == Layer::offset)
      layers[static_cast<int>(Layer::instruction)] = true;
    else if (palette.classic() || reason == palette.reasons().end())
      layers[static_cast<int>(layer)] = true;
    else
      categories[static_cast<size_t>(category_of(reason->second))] = true;
  }
  std::vector<Item> items;
  for (int i = 0; i < kLayers; ++i) {
    const Layer layer = static_cast<Layer>(i);
    if (!layers[i]) continue;
    const bool hatched = layer == Layer::boundary && drawing.hatches_boundary;
    const Colour colour = palette.classic() ? ramp_middle(layer) : layer_colour(layer);
    items.push_back({hatched ? "url(#boundary)" : rgb(colour), layer_title(layer)});
  }
  add_rows("", std::move(items));
  items.clear();
  for (size_t i = 0; i < StallReason::kCategories; ++i) {
    const auto category = static_cast<StallReason::Category>(i);
    if (categories[i]) items.push_back({rgb(reason_colour(category)), category_name(category)});
  }
  add_rows("reasons:", std::move(items));
}

void Legend::add_rows(const std::string& lead, std::vector<Item> items) {
  double used = width_;
  for (Item& item : items) {
    const double width = item_width(item);
    if (used + width > width_ - 2 * kSidePad) {
      rows_.push_back({lead, {}});
      used = lead_width(rows_.back());
    }
    used += width;
    rows_.back().items.push_back(std::move(item));
  }
}

double Legend::item_width(const Item& item) const {
  return swatch() + kTextGap + text_width(item.text, font_) + kItemGap;
}

double Legend::lead_width(const Row& row) const {
  return row.lead.empty() ? 0 : text_width(row.lead, font_) + kLeadGap;
}

double Legend::height() const {
  return static_cast<double>(rows_.size()) * row_height() + 4;
}

std::string Legend::svg(double top) const {
  if (rows_.empty()) return "";
  std::string out = "<g id=\"legend\">\n";
  for (const Row& row : rows_) {
    double width = lead_width(row) - kItemGap;  // no gap after the last item
    for (const Item& item : row.items) width += item_width(item);
    double x = (width_ - width) / 2;
    const auto text = [&](double left, const std::string& words) {
      out += "<text x=\"" + number(left, 1) + "\" y=\"" + number(top + 0.85 * swatch(), 1) + "\">" +
             xml(words) + "</text>\n";
    };
    if (!row.lead.empty()) {
      out += "<g data-lead=\"" + row.lead + "\">\n";
      text(x, row.lead);
    }
    x += lead_width(row);
    for (const Item& item : row.items) {
      out += "<rect x=\"" + number(x, 1) + "\" y=\"" + number(top, 1) + "\" width=\"" +
             number(swatch()) + "\" height=\"" + number(swatch()) + "\" fill=\"" + item.fill +
             "\" rx=\"2\" ry=\"2\"/>";
      text(x + swatch() + kTextGap, item.text);
      x += item_width(item);
    }
    if (!row.lead.empty()) out += "</g>\n";
    top += row_height();
  }
  return out + "</g>\n";
}

}  // namespace aiflame::svg
