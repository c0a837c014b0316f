// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcommon/device/reason_colours.h"
#include "libcommon/parallel/parallel.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/data/tree_data.h"
#include "tools/aiflame-svg/draw/difference_legend.h"
#include "tools/aiflame-svg/draw/frame_writer.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/draw/launches.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/draw/legend.h"
#include "tools/aiflame-svg/draw/name_attributes.h"
#include "tools/aiflame-svg/draw/page_script.h"
#include "tools/aiflame-svg/draw/reasons.h"
#include "tools/aiflame-svg/draw/style_sheet.h"
#include "tools/aiflame-svg/draw/svg_head.h"
#include "tools/aiflame-svg/draw/verdict.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

// For texts that do nothing without the script, which shows them. The attribute hides them where
// styles are not applied; where they are, the style overrides it and the class hides them.
constexpr const char* kHidden = " class=\"hide\" display=\"none\"";
// A thread writes this many frames at a time, some hundred kilobytes. It bounds memory: 64 and
// 65536 take as long within 1 % (`make bench`, svg, sorted).
constexpr size_t kPiece = 2048;

uint32_t greatest_depth(const std::vector<Frame>& frames) {
  uint32_t depth = 0;
  for (const Frame& frame : frames) depth = std::max(depth, frame.depth);
  return depth;
}

// The greatest change of any frame of a differential, at least 1; 0 for other trees.
uint64_t greatest_change(const FlameTree& tree, const Drawing& drawing) {
  if (!tree.differential()) return 0;
  uint64_t greatest = 1;
  for (unsigned i = 0; i < drawing.decimals; ++i) greatest *= 10;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const auto [before, after] = tree.change(node, drawing.delta_total);
    greatest = std::max(greatest, before < after ? after - before : before - after);
  }
  return greatest;
}

class SvgWriter {
 public:
  // `parts`: in how many pictures a file is.
  SvgWriter(const Picture& picture, size_t parts, const Sink& sink)
      : tree_(picture.tree),
        palette_(picture.palette),
        drawing_(picture.drawing),
        parts_(parts),
        sink_(sink),
        scale_{std::max(drawing_.total, tree_.total(FlameTree::kRoot)), whole_room(tree_, drawing_),
               greatest_change(tree_, drawing_),
               tree_.differential() ? one_sided(tree_, drawing_) : OneSided()} {}

  // All but the script and the end. `hidden`: in another picture.
  void write(bool hidden) {
    const std::vector<Frame> frames = drawn_frames(tree_, drawing_);
    const bool layers = drawing_.legend && !tree_.differential();
    const Legend legend = layers ? Legend(tree_, palette_, drawing_) : Legend();
    const Verdict verdict = make_verdict(tree_, palette_.reasons(), drawing_);
    const Geometry geometry(drawing_, greatest_depth(frames), scale_.room,
                            layers ? legend.height() : 0, verdict_height(verdict, drawing_));
    if (!hidden) put(document_head(drawing_));
    put(svg_start(drawing_, geometry, scale_, palette_.name(), hidden));
    put(style_sheet(drawing_, tree_.differential()));
    put("<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n");
    write_texts(geometry);
    put(verdict_svg(verdict, drawing_, geometry.verdict_top));
    put(legend.svg(geometry.legend_top));
    if (tree_.differential())
      put(difference_legend(tree_, drawing_, scale_.only, scale_.total,
                            geometry.height - geometry.bottom / 2));
    write_frames(frames, geometry);
    put(reasons_element(palette_.reasons()));
    put(launches_element(drawing_.launches, drawing_.launch_lines));
    write_listings();
    put(drawing_.changes.element(drawing_));
    write_data();
    if (hidden) put("</svg>\n");
    flush();
  }

  void end() {
    write_script();
    put(drawing_.html ? "</svg>\n</body>\n</html>\n" : "</svg>\n");
    flush();
  }

 private:
  void put(std::string_view text) { out_ += text; }
  void flush() {
    sink_(out_);
    written_ += out_.size();
    out_.clear();
  }

  void write_text(const char* id, double x, double y, std::string_view text,
                  const std::string& attributes = "") {
    put(std::string("<text id=\"") + id + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\"" +
        attributes + ">" + xml(text) + "</text>\n");
  }

  void write_texts(const Geometry& geometry) {
    const double size = drawing_.font.size;
    const double middle = std::floor(static_cast<double>(drawing_.width) / 2);
    const double right = static_cast<double>(drawing_.width) - kSidePad;
    const double foot = geometry.height - geometry.bottom / 2;
    write_text("title", middle, geometry.title, drawing_.title,
               " text-anchor=\"middle\" font-size=\"" + number(size + 5) + "\"");
    if (!drawing_.subtitle.empty())
      write_text("subtitle", middle, geometry.title + 2 * size, drawing_.subtitle,
                 " text-anchor=\"middle\"");
    write_text("details", kSidePad, foot, " ");
    write_text("view", kSidePad, 2 * size, "View", kHidden);
    write_text("unzoom", kSidePad + 3.5 * size, 2 * size, "Reset Zoom", kHidden);
    write_text("search", right - kControls + 10, 2 * size, "Search", kHidden);
    write_text("ignorecase", right - 16, 2 * size, "ic", kHidden);
    write_text("matched", right - 100, foot, " ", kHidden);
  }

  // The attributes of each frame; empty: the user gives none.
  std::vector<const NameAttributes::Entry*> given_to(const std::vector<Frame>& frames) const {
    std::vector<const NameAttributes::Entry*> out;
    if (drawing_.attributes == nullptr) return out;
    std::vector<std::string_view> below;  // by depth
    for (const Frame& frame : frames) {   // each is before those above it
      below.resize(frame.depth);
      const std::string_view name = tree_.name(frame.node);
      const std::string_view lowest = below.empty() ? "" : below.back();
      out.push_back(drawing_.attributes->find(name, lowest));
      below.push_back(lowest.empty() && drawing_.attributes->is_below(name) ? name : lowest);
    }
    return out;
  }

  void write_frames(const std::vector<Frame>& frames, const Geometry& geometry) {
    const FrameWriter writer(tree_, palette_, drawing_, geometry, scale_.total,
                             scale_.greatest_change);
    const std::vector<const NameAttributes::Entry*> given = given_to(frames);
    put("<g id=\"frames\">\n");
    flush();
    const auto write = [&](std::string_view text) {
      sink_(text);
      written_ += text.size();
    };
    write_in_order((frames.size() + kPiece - 1) / kPiece, write,
                   [&](size_t piece, std::string& text) {
                     const size_t end = std::min(frames.size(), (piece + 1) * kPiece);
                     for (size_t i = piece * kPiece; i < end; ++i)
                       writer.append(text, frames[i], given.empty() ? nullptr : given[i]);
                   });
    put("</g>\n");
  }

  // Writes as much of the tree as --embed allows, by default as much as keeps the file within
  // kFileSize.
  void write_data() {
    flush();
    uint64_t rest = written_ + 200;  // with the script and the elements around it
    each_script([&](std::string_view part) { rest += part.size(); });
    const uint64_t most = kFileSize / parts_;
    const uint64_t room = rest < most ? most - rest : 0;
    write_tree_data(tree_, palette_, drawing_.embed.value_or(room), sink_);
  }

  void write_listings() {
    if (drawing_.listings.empty()) return;
    put("<style>");
    put(listing_style());
    put(listing_colours());
    put("</style>\n");
    put(drawing_.listings);
  }

  // Pages without listings do not carry the script for them.
  template <typename Visit>
  void each_script(const Visit& visit) const {
    if (parts_ > 1)
      for (const std::string_view part : tabs_script()) visit(part);
    if (!drawing_.listings.empty())
      for (const std::string_view part : listing_script()) visit(part);
    for (const std::string_view part : page_script()) visit(part);
  }

  // The script is most of a small picture, so it goes straight to the sink.
  void write_script() {
    put("<script>\n<![CDATA[\n(function () {\n\"use strict\";\n");
    flush();
    each_script(sink_);
    put("})();\n]]>\n</script>\n");
  }

  const FlameTree& tree_;
  const Palette& palette_;
  const Drawing& drawing_;
  const size_t parts_;
  const Sink& sink_;
  const Scale scale_;
  std::string out_;
  uint64_t written_ = 0;  // bytes given to sink_, without those in out_
};

}  // namespace

void write_pictures(std::span<const Picture> pictures, const Sink& sink) {
  SvgWriter first(pictures.front(), pictures.size(), sink);
  first.write(false);
  for (const Picture& each : pictures.subspan(1))
    SvgWriter(each, pictures.size(), sink).write(true);
  first.end();
}

void write_svg(const FlameTree& tree, const Palette& palette, const Drawing& drawing,
               const Sink& sink) {
  const Picture picture{tree, palette, drawing};
  write_pictures({&picture, 1}, sink);
}

std::string error_svg(std::string_view message, const Drawing& drawing) {
  const std::string width = std::to_string(drawing.width);
  const std::string height = number(drawing.font.size * 5);
  const std::string svg = "<svg version=\"1.1\" width=\"" + width + "\" height=\"" + height +
                          "\" viewBox=\"0 0 " + width + " " + height +
                          "\" xmlns=\"http://www.w3.org/2000/svg\">\n<text x=\"" +
                          number(std::floor(static_cast<double>(drawing.width) / 2)) + "\" y=\"" +
                          number(drawing.font.size * 2) +
                          "\" text-anchor=\"middle\">ERROR: " + xml(message) + "</text>\n</svg>\n";
  return document_head(drawing) + svg + (drawing.html ? "</body>\n</html>\n" : "");
}

}  // namespace aiflame::svg
