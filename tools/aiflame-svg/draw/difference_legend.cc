// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/difference_legend.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/change_bin.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/draw/label.h"
#include "tools/aiflame-svg/draw/shown_count.h"
#include "tools/aiflame-svg/draw/sides.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

constexpr double kGap = 14;     // between groups
constexpr double kTextGap = 5;  // between a swatch and its text
constexpr double kPad = 6;      // left and right of a text in its box

// Groups stand side by side. A group is a text, or boxes that touch.
struct Box {
  std::string text;
  std::optional<Colour> fill{};  // none: no box, only the text
  const char* pattern = "";      // over the fill: its identifier
  const char* edge = "";         // a class
};
using Group = std::vector<Box>;

Group bins() {
  Group out;
  static constexpr const char* kTexts[] = {"< -8", "-8", "-3", "-1",  "\u00b10.25",
                                           "+1",   "+3", "+8", "> +8"};
  for (int bin = -kLastBin; bin <= kLastBin; ++bin)
    out.push_back({kTexts[bin + kLastBin], bin_colour(bin)});
  return out;
}

// As flamegraph.pl: relative to the greatest change. In the order of time, --negate swaps nothing.
Group shades() {
  return {{"fewer after", difference_colour(1, 0, 1, false)},
          {"unchanged", difference_colour(0, 0, 1, false)},
          {"more after", difference_colour(0, 1, 1, false)}};
}

class Writer {
 public:
  Writer(const Drawing& drawing, double base) : font_(drawing.font), base_(base) {
    font_.size = std::max(1.0, font_.size - 2);
    right_ = static_cast<double>(drawing.width) - kSidePad;
  }

  // From right to left, since the line ends at the right edge. What has no room is left out.
  bool put(const Group& group) {
    double width = 0;
    for (const Box& box : group) width += width_of(box);
    if (right_ - width < kSidePad) return false;
    double x = right_ - width;
    std::string text;
    for (const Box& box : group) {
      append(text, box, x);
      x += width_of(box);
    }
    right_ -= width + kGap;
    out_ = text + out_;
    return true;
  }

  std::string text() const { return "<g id=\"legend\" class=\"difference\">\n" + out_ + "</g>\n"; }

 private:
  double width_of(const Box& box) const {
    if (box.text.empty()) return 1.6 * font_.size + 2 * kPad;
    return text_width(box.text, font_) + (box.fill ? 2 * kPad : kTextGap);
  }

  void append(std::string& out, const Box& box, double x) const {
    if (box.fill) {
      out += "<rect x=\"" + number(x, 1) + "\" y=\"" + number(base_ - 1.1 * font_.size, 1) +
             "\" width=\"" + number(width_of(box), 1) + "\" height=\"" +
             number(1.5 * font_.size, 1) + "\" fill=\"" +
             (*box.pattern != '\0' ? std::string("url(#") + box.pattern + ")" : rgb(*box.fill)) +
             "\"";
      if (*box.edge != '\0') out += std::string(" class=\"") + box.edge + "\"";
      out += "/>";
    }
    if (!box.text.empty()) {
      out += "<text x=\"" + number(x + (box.fill ? kPad : kTextGap), 1) + "\" y=\"" +
             number(base_, 1) + "\" font-size=\"" + number(font_.size) + "\"";
      if (box.fill && is_dark(*box.fill))
        out += " class=\"light\" fill=\"rgb(255,255,255)\"";
      else if (box.fill)
        out += " class=\"dark\"";
      out += ">" + xml(box.text) + "</text>";
    }
    out += "\n";
  }

  Font font_;
  double base_, right_;
  std::string out_;
};

}  // namespace

std::string difference_legend(const FlameTree& tree, const Drawing& drawing, const OneSided& only,
                              uint64_t total, double base) {
  Writer writer(drawing, base);
  const auto [before, after] = only;
  const Sides all = sides_of(tree, FlameTree::kRoot, drawing, total, true);
  const auto amount = [&](uint64_t count, uint64_t whole) {
    return quantity_text(count, drawing) + " (" + number(share(count, whole), 1) + "%)";
  };
  const std::string only_before = "only before: " + amount(before, all.all_before);
  const std::string only_after = "new: " + amount(after, all.all_after);
  // what the second count lacks is hatched
  const auto swatch = [](bool hatched, const char* edge, const std::string& text) {
    return Group{{"", bin_colour(0), hatched ? "vanished" : "", edge}, {text}};
  };
  if (drawing.shows_vanished) {
    if (after > 0) writer.put(swatch(drawing.negate, "new", only_after));
    if (before > 0) writer.put(swatch(!drawing.negate, "gone", only_before));
    if (!drawing.changes.empty()) writer.put({{"", bin_colour(0), "noise"}, {"within noise"}});
    writer.put(bins());
    writer.put({{drawing.absolute ? "after - before, % of all before"
                                  : "share of all, after - before, points"}});
    return writer.text();
  }
  // narrow pictures also report missing frames
  const uint64_t lost = drawing.negate ? after : before;
  const std::string part =
      number(share(lost, drawing.negate ? all.all_after : all.all_before), 1) + "%";
  for (const std::string& text :
       {(drawing.negate ? only_after : only_before) + ", not drawn",
        (drawing.negate ? "new: " : "only before: ") + part + ", not drawn", part + " not drawn"})
    if (lost == 0 || writer.put(swatch(true, "", text))) break;
  writer.put(shades());
  return writer.text();
}

}  // namespace aiflame::svg
