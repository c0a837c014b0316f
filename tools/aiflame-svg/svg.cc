// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/svg.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "libcommon/count.h"
#include "libcommon/folded.h"
#include "libcommon/program.h"
#include "tools/aiflame-svg/layout.h"
#include "tools/aiflame-svg/xml.h"

namespace aiflame {
namespace {

constexpr char kViewer[] =
#include "tools/aiflame-svg/viewer.js.inc"
    ;

constexpr double kSidePad = 10;    // left and right of the frames
constexpr double kFrameGap = 1;    // between rows
constexpr double kControls = 120;  // "Reset Search" and "ic", at the right of the first line
constexpr size_t kPiece = size_t{64} * 1024;

// `value` with up to `digits` decimals, without zeros at their end.
std::string number(double value, int digits = 2) {
  std::string text = format("%.*f", digits, value);
  if (text.find('.') != std::string::npos) {
    text.resize(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

// Appends `value` with a fixed number of decimals; a big picture has millions of these.
void append_fixed(std::string& out, double value, int digits) {
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  out.append(buffer, result.ptr);
}

std::string rgb(Colour colour) {
  return format("rgb(%d,%d,%d)", colour.red, colour.green, colour.blue);
}

// Black text cannot be read on the blue of what went away.
bool is_dark(Colour colour) {
  return 2 * colour.red + 7 * colour.green + colour.blue < 600;
}

struct LegendItem {
  Colour colour;
  std::string text;
};

// Rows of the legend, broken to the width of the image.
using Legend = std::vector<std::vector<LegendItem>>;

class SvgWriter {
 public:
  SvgWriter(const FlameTree& tree, Palette& palette, const Drawing& drawing, const Sink& sink)
      : tree_(tree), palette_(palette), drawing_(drawing), sink_(sink) {}

  void write() {
    total_ = std::max(drawing_.total, tree_.total(FlameTree::kRoot));
    plot_width_ = std::max(1.0, static_cast<double>(drawing_.width) - 2 * kSidePad);
    per_count_ = plot_width_ / std::max(1.0, static_cast<double>(total_));
    const double least = drawing_.least_is_percent
                             ? static_cast<double>(total_) * drawing_.least_width / 100
                             : drawing_.least_width / per_count_;
    frames_ = lay_out(tree_, least, total_);
    find_extremes();
    measure();
    write_head();
    write_texts();
    write_legend();
    write_frames();
    put("<script>\n<![CDATA[\n");
    put(kViewer);
    put("]]>\n</script>\n</svg>\n");
    sink_(out_);
  }

 private:
  void put(std::string_view text) { out_ += text; }

  // What a frame of a differential is coloured by: its count before and after.
  std::pair<uint64_t, uint64_t> delta(uint32_t node) const {
    if (drawing_.delta_total) return {tree_.total_before(node), tree_.total(node)};
    return {tree_.self_before(node), tree_.self(node)};
  }

  void find_extremes() {
    for (const Frame& frame : frames_) depth_ = std::max(depth_, frame.depth);
    if (!tree_.differential()) return;
    greatest_change_ = 1;
    for (unsigned i = 0; i < drawing_.decimals; ++i) greatest_change_ *= 10;
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      const auto [before, after] = delta(node);
      greatest_change_ =
          std::max(greatest_change_, before < after ? after - before : before - after);
    }
  }

  Legend legend() const {
    std::vector<LegendItem> items;
    if (tree_.differential()) {
      const Colour more = difference_colour(0, 1, 1, drawing_.negate);
      const Colour fewer = difference_colour(1, 0, 1, drawing_.negate);
      items = {{more, "more after"}, {fewer, "fewer after"}, {{255, 255, 255}, "unchanged"}};
    } else {
      bool present[kLayers] = {};
      // the root is not a frame of the program
      for (size_t i = 1; i < frames_.size(); ++i)
        present[static_cast<int>(layer_of(tree_.name(frames_[i].node)))] = true;
      for (int i = 0; i < kLayers; ++i) {
        const Layer layer = static_cast<Layer>(i);
        if (present[i]) items.push_back({layer_colour(layer), layer_title(layer)});
      }
    }
    Legend rows;
    double used = 0;
    for (LegendItem& item : items) {
      const double width = item_width(item);
      if (rows.empty() || used + width > plot_width_) {
        rows.emplace_back();
        used = 0;
      }
      used += width;
      rows.back().push_back(std::move(item));
    }
    return rows;
  }

  double swatch() const { return drawing_.font.size; }
  double item_width(const LegendItem& item) const {
    return swatch() + 5 + text_width(item.text, drawing_.font) + 18;
  }
  double legend_row() const { return 1.5 * drawing_.font.size + 2; }

  void measure() {
    const double size = drawing_.font.size;
    top_ = 3 * size;
    title_ = 2 * size;
    Font title_font = drawing_.font;
    title_font.size += 5;
    const double title_room = static_cast<double>(drawing_.width) - 2 * (kControls + kSidePad);
    if (text_width(drawing_.title, title_font) > title_room) {
      // the controls stay on the first line, and the title goes below them
      title_ += 2 * size;
      top_ += 2 * size;
    }
    bottom_ = 2 * size + 10;
    if (!drawing_.subtitle.empty()) top_ += 2 * size;
    if (drawing_.legend) {
      legend_ = legend();
      legend_top_ = top_;
      top_ += static_cast<double>(legend_.size()) * legend_row() + 4;
    }
    height_ = (depth_ + 1.0) * row() + top_ + bottom_;
  }

  double row() const { return static_cast<double>(drawing_.row_height); }

  void write_head() {
    const std::string width = std::to_string(drawing_.width), height = number(height_);
    const double size = drawing_.font.size;
    put("<?xml version=\"1.0\" standalone=\"no\"?>\n");
    put("<svg version=\"1.1\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " +
        width + " " + height + "\" xmlns=\"http://www.w3.org/2000/svg\"");
    // what the script needs to know; it takes these as text, never as code
    put(" data-nametype=\"" + xml(drawing_.name_type) + "\" data-countname=\"" +
        xml(drawing_.count_name) + "\" data-charwidth=\"" + number(size * drawing_.font.width, 4) +
        "\">\n");
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
        "#search, #ignorecase { opacity:0.6; cursor:pointer; }\n"
        "#search:hover, #search.show, #ignorecase:hover, #ignorecase.show { opacity:1; }\n"
        "#ignorecase.show { font-weight:bold; }\n"
        "#title { text-anchor:middle; font-size:" +
        number(size + 5) +
        "px; }\n"
        "#subtitle { text-anchor:middle; fill:rgb(80,80,80); }\n"
        "#unzoom { cursor:pointer; }\n"
        "#frames text { pointer-events:none; }\n"
        "#frames > *:hover { stroke:black; stroke-width:0.5; cursor:pointer; }\n"
        "#frames > *:hover text { stroke:none; }\n"
        ".hide { display:none; }\n"
        // the text of what is below the view stays black
        ".parent > rect { opacity:0.5; }\n"
        "#legend rect { stroke:rgb(120,120,120); stroke-width:0.5; }\n"
        ".light > text { fill:rgb(255,255,255); }\n");
    // most frames of a differential are white: without an edge they would run together
    if (tree_.differential())
      put("#frames rect { stroke:rgb(170,170,170); stroke-width:0.5; }\n"
          "#frames > *:hover rect { stroke:black; }\n");
    put("</style>\n");
    put("<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n");
  }

  void write_text(const char* id, double x, double y, std::string_view text,
                  const char* attributes = "") {
    put(std::string("<text id=\"") + id + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\"" +
        attributes + ">" + xml(text) + "</text>\n");
  }

  void write_texts() {
    const double size = drawing_.font.size;
    const double middle = std::floor(static_cast<double>(drawing_.width) / 2);
    const double right = static_cast<double>(drawing_.width) - kSidePad;
    const double foot = height_ - bottom_ / 2;
    write_text("title", middle, title_, drawing_.title);
    if (!drawing_.subtitle.empty())
      write_text("subtitle", middle, title_ + 2 * size, drawing_.subtitle);
    write_text("details", kSidePad, foot, " ");
    // without the script these do nothing, so it is the script that shows them
    write_text("unzoom", kSidePad, 2 * size, "Reset Zoom", " class=\"hide\"");
    write_text("search", right - kControls + 10, 2 * size, "Search", " class=\"hide\"");
    write_text("ignorecase", right - 16, 2 * size, "ic", " class=\"hide\"");
    write_text("matched", right - 100, foot, " ", " class=\"hide\"");
  }

  void write_legend() {
    if (legend_.empty()) return;
    put("<g id=\"legend\">\n");
    double y = legend_top_;
    for (const std::vector<LegendItem>& row : legend_) {
      double width = -18;  // no gap behind the last
      for (const LegendItem& item : row) width += item_width(item);
      double x = (static_cast<double>(drawing_.width) - width) / 2;
      for (const LegendItem& item : row) {
        put("<rect x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" width=\"" +
            number(swatch()) + "\" height=\"" + number(swatch()) + "\" fill=\"" + rgb(item.colour) +
            "\" rx=\"2\" ry=\"2\"/>");
        put("<text x=\"" + number(x + swatch() + 5, 1) + "\" y=\"" +
            number(y + 0.85 * swatch(), 1) + "\">" + xml(item.text) + "</text>\n");
        x += item_width(item);
      }
      y += legend_row();
    }
    put("</g>\n");
  }

  void write_frames() {
    put("<g id=\"frames\">\n");
    for (const Frame& frame : frames_) {
      write_frame(frame);
      if (out_.size() < kPiece) continue;
      sink_(out_);
      out_.clear();
    }
    put("</g>\n");
  }

  void write_frame(const Frame& frame) {
    const std::string_view name = tree_.name(frame.node);
    const bool root = frame.node == FlameTree::kRoot;
    const std::string_view shown = root ? "all" : without_annotation(name);
    out_ += "<g data-d=\"" + std::to_string(frame.depth) + "\" data-x=\"" +
            std::to_string(frame.start) + "\" data-n=\"" + std::to_string(frame.count);
    if (!annotation(name).empty()) {
      out_ += "\" data-a=\"";
      out_ += annotation(name);
    }
    const Colour fill = colour(frame);
    if (is_dark(fill)) out_ += "\" class=\"light";
    out_ += "\"><title>";
    append_xml(out_, shown);
    append_counts(frame);
    out_ += "</title>";

    // the width is that between the rounded edges, so that frames side by side meet
    const double x1 = kSidePad + static_cast<double>(frame.start) * per_count_;
    const double x2 = kSidePad + static_cast<double>(frame.start + frame.count) * per_count_;
    const double left = std::round(x1 * 10) / 10, right = std::round(x2 * 10) / 10;
    const double y1 = drawing_.inverted
                          ? top_ + frame.depth * row()
                          : height_ - bottom_ - (frame.depth + 1.0) * row() + kFrameGap;
    const double y2 = y1 + row() - kFrameGap;
    out_ += "<rect x=\"";
    append_fixed(out_, left, 1);
    out_ += "\" y=\"" + number(y1) + "\" width=\"";
    append_fixed(out_, right - left, 1);
    out_ += "\" height=\"";
    append_fixed(out_, y2 - y1, 1);
    out_ += "\" fill=\"" + rgb(fill) + "\" rx=\"2\" ry=\"2\"/><text x=\"";
    append_fixed(out_, x1 + 3, 2);
    out_ += "\" y=\"" + number(3 + (y1 + y2) / 2) + "\">";
    append_xml(out_, fitting_label(shown, x2 - x1, drawing_.font));
    out_ += "</text></g>\n";
  }

  Colour colour(const Frame& frame) {
    const std::string_view name = tree_.name(frame.node);
    const bool boundary = name == "-" || name == "--";
    if (!tree_.differential() || boundary) return palette_.colour(name);
    const auto [before, after] = delta(frame.node);
    return difference_colour(before, after, greatest_change_, drawing_.negate);
  }

  std::string shown_count(uint64_t count) const {
    if (drawing_.factor == 1) return format_count_with_commas(count, drawing_.decimals);
    const auto value =
        static_cast<long double>(count) * drawing_.factor / std::pow(10.0L, drawing_.decimals);
    const std::string text = format("%.*Lf", static_cast<int>(drawing_.decimals), value);
    const std::optional<Count> rounded = parse_count(text);
    return rounded ? format_count_with_commas(rounded->value, rounded->decimals) : text;
  }

  std::string percent(double part) const {
    return format("%.2f%%", 100 * part / static_cast<double>(std::max<uint64_t>(total_, 1)));
  }

  // " (1,234 samples, 12.34%)", and of a differential what was before and after.
  void append_counts(const Frame& frame) {
    const bool root = frame.node == FlameTree::kRoot;
    out_ += " (" + shown_count(frame.count) + " ";
    append_xml(out_, drawing_.count_name);
    out_ += root ? ", 100%" : ", " + percent(static_cast<double>(frame.count));
    if (!tree_.differential()) {
      out_ += ")";
      return;
    }
    const auto [before, after] = delta(frame.node);
    if (!root) {
      const bool more = (before < after) != drawing_.negate;
      const uint64_t change = before < after ? after - before : before - after;
      out_ += before == after ? "; " : more ? "; +" : "; -";
      out_ += percent(static_cast<double>(change));
    }
    out_ += ")\n" + shown_count(tree_.total_before(frame.node)) + " before, " +
            shown_count(tree_.total(frame.node)) + " after";
    // the percentage above and the colour are of the frame itself, without those on top of it,
    // unless --delta=total
    const uint64_t self_before = tree_.self_before(frame.node), self = tree_.self(frame.node);
    if (self_before != tree_.total_before(frame.node) || self != tree_.total(frame.node))
      out_ += "; itself " + shown_count(self_before) + " before, " + shown_count(self) + " after";
  }

  const FlameTree& tree_;
  Palette& palette_;
  const Drawing& drawing_;
  const Sink& sink_;
  std::string out_;
  std::vector<Frame> frames_;
  Legend legend_;
  uint64_t total_ = 0, greatest_change_ = 0;
  uint32_t depth_ = 0;
  double plot_width_ = 0, per_count_ = 0;
  double top_ = 0, bottom_ = 0, height_ = 0, legend_top_ = 0;
  double title_ = 0;  // its base line
};

}  // namespace

void write_svg(const FlameTree& tree, Palette palette, const Drawing& drawing, const Sink& sink) {
  SvgWriter(tree, palette, drawing, sink).write();
}

std::string error_svg(std::string_view message, const Drawing& drawing) {
  const std::string width = std::to_string(drawing.width);
  const std::string height = number(drawing.font.size * 5);
  return "<?xml version=\"1.0\" standalone=\"no\"?>\n<svg version=\"1.1\" width=\"" + width +
         "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
         "\" xmlns=\"http://www.w3.org/2000/svg\">\n<text x=\"" +
         number(std::floor(static_cast<double>(drawing.width) / 2)) + "\" y=\"" +
         number(drawing.font.size * 2) + "\" text-anchor=\"middle\">ERROR: " + xml(message) +
         "</text>\n</svg>\n";
}

}  // namespace aiflame
