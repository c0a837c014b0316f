// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/frame_title.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"
#include "tools/aiflame-svg/text/svg_number.h"
#include "tools/aiflame-svg/text/xml.h"

namespace aiflame::svg {
namespace {

std::string shown_count(uint64_t count, const Drawing& drawing) {
  if (drawing.factor == 1) return format_count_with_commas(count, drawing.decimals);
  const auto value =
      static_cast<long double>(count) * drawing.factor / std::pow(10.0L, drawing.decimals);
  const std::string text = format("%.*Lf", static_cast<int>(drawing.decimals), value);
  const std::optional<Count> rounded = parse_count(text);
  return rounded ? format_count_with_commas(rounded->value, rounded->decimals) : text;
}

std::string percent(uint64_t part, uint64_t total) {
  std::string text;
  append_fixed(
      text, 100 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(total, 1)), 2);
  return text + "%";
}

// "; +1.23%": the change, as a share of `total`.
std::string change(uint64_t before, uint64_t after, const Drawing& drawing, uint64_t total) {
  if (before == after) return "; " + percent(0, total);
  const bool more = (before < after) != drawing.negate;
  return (more ? "; +" : "; -") + percent(before < after ? after - before : before - after, total);
}

}  // namespace

std::string frame_title(const FlameTree& tree, const Frame& frame, const Drawing& drawing,
                        uint64_t total) {
  const bool root = frame.node == FlameTree::kRoot;
  std::string out;
  append_xml(out, root ? "all" : without_annotation(tree.name(frame.node)));
  out += " (" + shown_count(frame.count, drawing) + " ";
  append_xml(out, drawing.count_name);
  out += root ? ", 100%" : ", " + percent(frame.count, total);
  if (!tree.differential()) return out + ")";
  const uint64_t before = tree.self_before(frame.node), after = tree.self(frame.node);
  const uint64_t all_before = tree.total_before(frame.node), all_after = tree.total(frame.node);
  const auto [changed_from, changed_to] = tree.change(frame.node, drawing.delta_total);
  if (!root) out += change(changed_from, changed_to, drawing, total);
  out += ")\n" + shown_count(all_before, drawing) + " before, " + shown_count(all_after, drawing) +
         " after";
  // Unless --delta=total, the percentage above and the colour are of the frame itself, without its
  // descendants.
  if (before != all_before || after != all_after)
    out += "; itself " + shown_count(before, drawing) + " before, " + shown_count(after, drawing) +
           " after";
  return out;
}

}  // namespace aiflame::svg
