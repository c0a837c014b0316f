// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/frame_title.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcommon/folded/folded.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/draw/shown_count.h"
#include "tools/aiflame-svg/draw/sides.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

std::string percent(uint64_t part, uint64_t whole) {
  std::string text;
  append_fixed(text, share(part, whole), 2);
  return text + "%";
}

// "+1.23"; no sign where nothing is left of the value.
std::string signed_number(double value, int decimals) {
  std::string text;
  append_fixed(text, std::fabs(value), decimals);
  if (text.find_first_not_of("0.") == std::string::npos) return text;
  return (value < 0 ? "-" : "+") + text;
}

// "; +1.23%": the change, as a share of `total`.
std::string change(uint64_t before, uint64_t after, const Drawing& drawing, uint64_t total) {
  if (before == after) return "; " + percent(0, total);
  const bool more = (before < after) != drawing.negate;
  return (more ? "; +" : "; -") + percent(before < after ? after - before : before - after, total);
}

// As flamegraph.pl: the change in the brackets. Unless --delta=total, it and the colour are of the
// frame itself, without its descendants. The line after it is ours.
std::string title_of_widths_after(const FlameTree& tree, uint32_t node, const Drawing& drawing,
                                  uint64_t total) {
  const Sides own = sides_of(tree, node, drawing, total, false);
  const Sides all = sides_of(tree, node, drawing, total, true);
  const auto [changed_from, changed_to] = tree.change(node, drawing.delta_total);
  std::string out;
  if (node != FlameTree::kRoot) out += change(changed_from, changed_to, drawing, total);
  out += ")\n" + shown_count(all.before, drawing) + " before, " + shown_count(all.after, drawing) +
         " after";
  if (own.before != all.before || own.after != all.after)
    out += "; itself " + shown_count(own.before, drawing) + " before, " +
           shown_count(own.after, drawing) + " after";
  return out;
}

// "+100.0%"
std::string relative_change(const Sides& sides) {
  const double change = static_cast<double>(sides.after) - static_cast<double>(sides.before);
  return signed_number(100 * change / static_cast<double>(sides.before), 1) + "%";
}

// "30 \u2192 60 samples: +100.0%; 30.00% \u2192 46.15% of all: +16.15 points"
std::string both_sides(const Sides& sides, const Drawing& drawing) {
  constexpr const char* kArrow = " \u2192 ";
  std::string out =
      shown_count(sides.before, drawing) + kArrow + shown_quantity(sides.after, drawing) + ": ";
  if (sides.before == 0)
    out += "new";
  else if (sides.after == 0)
    out += "gone";
  else
    out += relative_change(sides);
  return out + "; " + percent(sides.before, sides.all_before) + kArrow +
         percent(sides.after, sides.all_after) + " of all: " + signed_number(sides.points(), 2) +
         " points";
}

std::string title_of_both(const FlameTree& tree, uint32_t node, const Drawing& drawing,
                          uint64_t total) {
  const Sides sides = sides_of(tree, node, drawing, total, true);
  const Sides own = sides_of(tree, node, drawing, total, false);
  std::string out = ")\n" + both_sides(sides, drawing);
  if ((own.before != sides.before || own.after != sides.after) &&
      (own.before != 0 || own.after != 0))
    out += "\nitself " + shown_count(own.before, drawing) + " \u2192 " +
           shown_quantity(own.after, drawing);
  if (const std::string noise = drawing.changes.text(node, drawing); !noise.empty())
    out += "\n" + xml(noise);
  return out;
}

// "\n12 launches of 1024 work-items, in groups of 64": of a kernel, as XML.
std::string launches_of(std::string_view name, const Drawing& drawing) {
  std::string out;
  if (const auto known = drawing.launches.find(name); known != drawing.launches.end())
    for (const std::string& line : known->second) out += "\n" + xml(line);
  return out;
}

}  // namespace

std::string totals_text(const FlameTree& tree, const Drawing& drawing) {
  const Sides all = sides_of(tree, FlameTree::kRoot, drawing, tree.total(FlameTree::kRoot), true);
  const std::string change = all.before == 0 ? "new" : relative_change(all);
  return shown_count(all.before, drawing) + " \u2192 " + quantity_text(all.after, drawing) + " (" +
         change + ")";
}

std::string frame_title(const FlameTree& tree, const Frame& frame, const Drawing& drawing,
                        uint64_t total) {
  const bool root = frame.node == FlameTree::kRoot;
  std::string out;
  append_xml(out, root ? "all" : without_annotation(tree.name(frame.node)));
  out += " (" + shown_quantity(frame.count, drawing);
  out += root ? ", 100%" : ", " + percent(frame.count, total);
  if (!tree.differential()) return out + ")" + launches_of(tree.name(frame.node), drawing);
  return out + (drawing.shows_vanished ? title_of_both : title_of_widths_after)(tree, frame.node,
                                                                                drawing, total);
}

}  // namespace aiflame::svg
