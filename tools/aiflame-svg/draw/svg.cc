// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/svg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "libcommon/device/stall_reasons.h"
#include "libcommon/folded/folded.h"
#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/data/tree_data.h"
#include "tools/aiflame-svg/draw/frame_writer.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/draw/legend.h"
#include "tools/aiflame-svg/draw/svg_values.h"
#include "tools/aiflame-svg/draw/xml.h"

namespace aiflame::svg {
namespace {

constexpr std::string_view kScript[] = {
#include "tools/aiflame-svg/page/tree_data.js.inc"
    ,
#include "tools/aiflame-svg/page/element_tree.js.inc"
    ,
#include "tools/aiflame-svg/page/counts.js.inc"
    ,
#include "tools/aiflame-svg/page/layers.js.inc"
    ,
#include "tools/aiflame-svg/page/reasons.js.inc"
    ,
#include "tools/aiflame-svg/page/view_tree.js.inc"
    ,
#include "tools/aiflame-svg/page/expression.js.inc"
    ,
#include "tools/aiflame-svg/page/search.js.inc"
    ,
#include "tools/aiflame-svg/page/safe_palette.js.inc"
    ,
#include "tools/aiflame-svg/page/drawing.js.inc"
    ,
#include "tools/aiflame-svg/page/permalink.js.inc"
    ,
#include "tools/aiflame-svg/page/details.js.inc"
    ,
#include "tools/aiflame-svg/page/overlay.js.inc"
    ,
#include "tools/aiflame-svg/page/search_box.js.inc"
    ,
#include "tools/aiflame-svg/page/view_menu.js.inc"
    ,
#include "tools/aiflame-svg/page/frame_menu.js.inc"
    ,
#include "tools/aiflame-svg/page/sums_panel.js.inc"
    ,
#include "tools/aiflame-svg/page/events.js.inc"
    ,
#include "tools/aiflame-svg/page/viewer.js.inc"
};

// Shown by the script alone: without it they do nothing. As an attribute, too, where there are no
// styles; the style takes that one back.
constexpr const char* kHidden = " class=\"hide\" display=\"none\"";
// So many frames are written at a time, some hundred kilobytes.
constexpr size_t kPiece = 2048;

std::string xml_declaration(const Drawing& drawing) {
  return std::string("<?xml version=\"1.0\"") +
         (drawing.says_encoding ? " encoding=\"UTF-8\"" : "") + " standalone=\"no\"?>\n";
}

std::string html_head(const Drawing& drawing) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
         xml(drawing.title) +
         "</title>\n<style>html, body { margin: 0; }</style>\n</head>\n<body>\n";
}

class SvgWriter {
 public:
  SvgWriter(const FlameTree& tree, const Palette& palette, const Drawing& drawing, const Sink& sink)
      : tree_(tree),
        palette_(palette),
        drawing_(drawing),
        sink_(sink),
        total_(std::max(drawing.total, tree.total(FlameTree::kRoot))) {}

  void write() {
    frames_ = drawn_frames(tree_, drawing_, total_);
    find_extremes();
    if (drawing_.legend) legend_ = Legend(tree_, frames_, drawing_);
    const Geometry geometry(drawing_, depth_, total_, drawing_.legend ? legend_.height() : 0);
    put(drawing_.html ? html_head(drawing_) : xml_declaration(drawing_));
    write_head(geometry);
    write_texts(geometry);
    put(legend_.svg(geometry.legend_top));
    write_frames(geometry);
    write_reasons();
    write_data();
    put("<script>\n<![CDATA[\n(function () {\n\"use strict\";\n");
    for (const std::string_view part : kScript) put(part);
    put("})();\n]]>\n</script>\n</svg>\n");
    if (drawing_.html) put("</body>\n</html>\n");
    flush();
  }

 private:
  void put(std::string_view text) { out_ += text; }
  void flush() {
    sink_(out_);
    written_ += out_.size();
    out_.clear();
  }

  void find_extremes() {
    for (const Frame& frame : frames_) depth_ = std::max(depth_, frame.depth);
    if (!tree_.differential()) return;
    greatest_change_ = 1;
    for (unsigned i = 0; i < drawing_.decimals; ++i) greatest_change_ *= 10;
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      const auto [before, after] = tree_.change(node, drawing_.delta_total);
      greatest_change_ =
          std::max(greatest_change_, before < after ? after - before : before - after);
    }
  }

  void write_head(const Geometry& geometry) {
    const std::string width = std::to_string(drawing_.width), height = number(geometry.height);
    const double size = drawing_.font.size;
    put("<svg version=\"1.1\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " +
        width + " " + height +
        "\" xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    // as attributes, too: a content policy may forbid styles
    put(" font-family=\"" + xml(drawing_.font.family) + "\" font-size=\"" + number(size) + "\"");
    // what the script needs to know; it takes these as text, never as code
    put(" data-nametype=\"" + xml(drawing_.name_type) + "\" data-countname=\"" +
        xml(drawing_.count_name) + "\" data-charwidth=\"" + number(size * drawing_.font.width, 4) +
        "\" data-decimals=\"" + std::to_string(drawing_.decimals) + "\" data-factor=\"" +
        number(drawing_.factor, 6) + "\" data-greatest=\"" + std::to_string(greatest_change_) +
        (drawing_.negate ? "\" data-negate=\"1" : "") +
        (drawing_.delta_total ? "\" data-delta=\"total" : "") +
        (drawing_.inverted ? "\" data-inverted=\"1" : "") + "\" data-total=\"" +
        std::to_string(total_) + "\" data-palette=\"" + xml(palette_.name()) + "\" data-top=\"" +
        number(geometry.top) + "\" data-bottom=\"" + number(geometry.bottom) + "\" data-row=\"" +
        number(static_cast<double>(drawing_.row_height)) + "\">\n");
    put("<!-- Flame graph, drawn by aiflame-svg from folded stacks. -->\n");
    put("<!-- NOTES: " + xml_comment(drawing_.notes) + " -->\n");
    put("<defs>\n<linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">\n"
        "<stop stop-color=\"" +
        xml(drawing_.background_top) +
        "\" offset=\"5%\"/>\n"
        "<stop stop-color=\"" +
        xml(drawing_.background_bottom) +
        "\" offset=\"95%\"/>\n"
        "</linearGradient>\n</defs>\n");
    const std::string& family = drawing_.font.family;
    const std::string families =
        family == "Verdana" ? "Verdana, \"DejaVu Sans\", sans-serif" : css_string(family);
    put("<style type=\"text/css\">\n"
        "text { font-family:" +
        families + "; font-size:" + number(size) +
        "px; fill:rgb(0,0,0); }\n"
        "#search, #ignorecase, #view { opacity:0.6; cursor:pointer; }\n"
        "#search:hover, #search.show, #ignorecase:hover, #ignorecase.show, #view:hover, #view.show "
        "{ opacity:1; }\n"
        "#ignorecase.show, #view.show { font-weight:bold; }\n"
        "#title { text-anchor:middle; font-size:" +
        number(size + 5) +
        "px; }\n"
        "#subtitle { text-anchor:middle; fill:rgb(80,80,80); }\n"
        "#unzoom { cursor:pointer; }\n"
        "#frames text { pointer-events:none; }\n"
        "#frames > *:hover { stroke:black; stroke-width:0.5; cursor:pointer; }\n"
        "#frames > *:hover text { stroke:none; }\n"
        "[display=none] { display:inline; }\n"
        ".hide { display:none; }\n"
        // the text of what is below the view stays black
        ".parent > rect { opacity:0.5; }\n"
        "#legend rect { stroke:rgb(120,120,120); stroke-width:0.5; }\n"
        ".light > text { fill:rgb(255,255,255); }\n"
        "#frames > *:focus { outline:none; }\n"
        "#frames > *:focus-visible { stroke:black; stroke-width:2; }\n"
        "#frames > *:focus-visible text { stroke:none; }\n"
        // the frames, and the text on them, stay as they are
        "@media (prefers-color-scheme: dark) {\n"
        ":root { background:rgb(32,32,36); }\n"
        "#background stop { stop-color:rgb(32,32,36); }\n"
        "text { fill:rgb(222,222,222); }\n"
        "#subtitle { fill:rgb(170,170,170); }\n"
        "#frames text { fill:rgb(0,0,0); }\n"
        "#frames .light > text { fill:rgb(255,255,255); }\n"
        "#frames > *:hover, #frames > *:focus-visible { stroke:rgb(255,255,255); }\n"
        "}\n");
    // most frames of a differential are white: without an edge they would run together
    if (tree_.differential())
      put("#frames rect { stroke:rgb(170,170,170); stroke-width:0.5; }\n"
          "#frames > *:hover rect, #frames > *:focus-visible rect { stroke:black; }\n");
    put("</style>\n");
    put("<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n");
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
    // without the script these do nothing, so it is the script that shows them
    write_text("view", kSidePad, 2 * size, "View", kHidden);
    write_text("unzoom", kSidePad + 3.5 * size, 2 * size, "Reset Zoom", kHidden);
    write_text("search", right - kControls + 10, 2 * size, "Search", kHidden);
    write_text("ignorecase", right - 16, 2 * size, "ic", kHidden);
    write_text("matched", right - 100, foot, " ", kHidden);
  }

  void write_frames(const Geometry& geometry) {
    const FrameWriter writer(tree_, palette_, drawing_, geometry, total_, greatest_change_);
    put("<g id=\"frames\">\n");
    flush();
    const auto write = [&](std::string_view text) {
      sink_(text);
      written_ += text.size();
    };
    write_in_order((frames_.size() + kPiece - 1) / kPiece, write,
                   [&](size_t piece, std::string& text) {
                     const size_t end = std::min(frames_.size(), (piece + 1) * kPiece);
                     for (size_t i = piece * kPiece; i < end; ++i) writer.append(text, frames_[i]);
                   });
    put("</g>\n");
  }

  // What the stall reasons that occur mean and what to try, a line each; for reasons.js.
  void write_reasons() {
    std::map<std::string_view, const StallReason*> found;
    for (uint32_t i = 0; i < tree_.names().size(); ++i) {
      const std::string_view name = tree_.names()[i];
      if (!name.ends_with("_[g]")) continue;
      const std::string_view bare = without_annotation(name);
      if (const StallReason* reason = find_stall_reason(bare)) found.emplace(bare, reason);
    }
    if (found.empty()) return;
    put("<metadata id=\"reasons\">\n");
    for (const auto& [name, reason] : found)
      put("<g data-name=\"" + xml(name) + "\" data-vendor=\"" + reason->vendor + "\">" +
          xml(reason->meaning) + "\n" + xml(reason->advice) + "</g>\n");
    put("</metadata>\n");
  }

  void write_data() {
    flush();
    uint64_t rest = written_ + 200;  // with the script and what is around it
    for (const std::string_view part : kScript) rest += part.size();
    const uint64_t room = rest < kFileSize ? kFileSize - rest : 0;
    write_tree_data(tree_, palette_, drawing_.embed.value_or(room), sink_);
  }

  const FlameTree& tree_;
  const Palette& palette_;
  const Drawing& drawing_;
  const Sink& sink_;
  std::string out_;
  uint64_t written_ = 0;  // before what is in out_
  std::vector<Frame> frames_;
  Legend legend_;
  uint64_t total_, greatest_change_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

void write_svg(const FlameTree& tree, const Palette& palette, const Drawing& drawing,
               const Sink& sink) {
  SvgWriter(tree, palette, drawing, sink).write();
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
  if (drawing.html) return html_head(drawing) + svg + "</body>\n</html>\n";
  return xml_declaration(drawing) + svg;
}

}  // namespace aiflame::svg
