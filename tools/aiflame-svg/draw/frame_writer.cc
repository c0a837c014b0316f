// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/frame_writer.h"

#include <algorithm>
#include <cmath>

#include "libcommon/folded/folded.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/change_bin.h"
#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/draw/frame_title.h"
#include "tools/aiflame-svg/draw/label.h"
#include "tools/aiflame-svg/draw/sides.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

constexpr double kCorner = 2;  // radius
constexpr double kEdged = 6;   // the least width of a frame with a coloured edge
constexpr double kPale = 0.6;  // how much white the colour of a change gets that may be noise

double rounded(double pixels) {
  return std::round(pixels * 10) / 10;
}

std::string_view shown_name(const FlameTree& tree, const Frame& frame) {
  return frame.node == FlameTree::kRoot ? "all" : without_annotation(tree.name(frame.node));
}

Colour pale(Colour colour) {
  const auto mixed = [](uint8_t part) {
    return static_cast<uint8_t>(std::lround(part + (255 - part) * kPale));
  };
  return {mixed(colour.red), mixed(colour.green), mixed(colour.blue)};
}

// Bold labels, which a style makes of the white ones in an AI flame graph, are wider than `font`.
Font bold(Font font) {
  font.width *= 1.15;
  return font;
}

}  // namespace

void FrameWriter::append(std::string& out, const Frame& frame,
                         const NameAttributes::Entry* given) const {
  const std::string_view name = tree_.name(frame.node);
  const bool link = given != nullptr && given->link;
  const Colour fill = colour(frame);
  out += link ? "<a" : "<g";
  out += " data-d=\"" + std::to_string(frame.depth) + "\" data-x=\"" + std::to_string(frame.start) +
         "\" data-n=\"" + std::to_string(frame.count) + "\"";
  const bool vanished = frame.room > frame.count;
  if (vanished) out += " data-room=\"" + std::to_string(frame.room) + "\"";
  if (!annotation(name).empty()) {
    out += " data-a=\"";
    out += annotation(name);
    out += '"';
  }
  std::string classes = is_dark(fill) ? "light" : "";
  if (vanished) classes += classes.empty() ? "vanished" : " vanished";
  if (const std::string_view edge = one_sided_edge(frame); !edge.empty())
    classes += (classes.empty() ? "" : " ") + std::string(edge);
  if (given != nullptr) {
    // for the page, which draws this frame elsewhere too
    if (given->link || given->classes || !given->attributes.empty() || !given->title.empty())
      out += " data-given=\"" + given->name + "\"";
    if (!given->title.empty()) out += " data-titled=\"1\"";
    out += given->attributes;
    if (given->classes) classes += (classes.empty() ? "" : " ") + *given->classes;
  }
  if (!classes.empty() || (given != nullptr && given->classes)) out += " class=\"" + classes + "\"";
  out += "><title>";
  out += given != nullptr && !given->title.empty() ? given->title
                                                   : frame_title(tree_, frame, drawing_, total_);
  out += "</title>";
  append_rectangle(out, frame, fill);
  append_label(out, frame, fill);
  out += link ? "</a>\n" : "</g>\n";
}

// The class of a frame that one side lacks. Narrow ones have no edge, which would be all of them.
std::string_view FrameWriter::one_sided_edge(const Frame& frame) const {
  if (!drawing_.shows_vanished || geometry_.per_count * static_cast<double>(frame.room) < kEdged)
    return "";
  const Sides sides = sides_of(tree_, frame.node, drawing_, total_, true);
  return sides.before == 0 ? "new" : sides.after == 0 ? "gone" : "";
}

void FrameWriter::append_rectangle(std::string& out, const Frame& frame, Colour fill) const {
  // the width is computed from the rounded edges, so that neighbours meet
  const double left = rounded(geometry_.left(frame.start));
  const double right = rounded(geometry_.left(frame.start + frame.room));
  const double y1 = geometry_.upper_edge(frame.depth), y2 = y1 + geometry_.row - kFrameGap;
  out += "<rect x=\"";
  append_fixed(out, left, 1);
  out += "\" y=\"" + number(y1) + "\" width=\"";
  append_fixed(out, right - left, 1);
  out += "\" height=\"";
  append_fixed(out, y2 - y1, 1);
  out += "\" fill=\"" +
         (is_boundary(frame) && drawing_.hatches_boundary ? "url(#boundary)" : rgb(fill));
  // Round corners and empty labels are what browsers take longest to draw, and tens of thousands of
  // frames are too narrow to show either.
  if (right - left >= 2 * kCorner) out += "\" rx=\"2\" ry=\"2";
  out += "\"/>";
  if (is_noise(frame) && right - left >= kEdged)
    append_hatching(out, frame, frame.start, frame.count, "noise");
  if (frame.room > frame.count)
    append_hatching(out, frame, frame.start + frame.count, frame.room - frame.count, "vanished");
}

// Hatches a part of a frame: the one that its count does not fill, or all of its count.
void FrameWriter::append_hatching(std::string& out, const Frame& frame, uint64_t start,
                                  uint64_t count, const char* pattern) const {
  const double left = rounded(geometry_.left(start));
  const double right = rounded(geometry_.left(start + count));
  if (right <= left) return;
  out += "<rect x=\"";
  append_fixed(out, left, 1);
  out += "\" y=\"" + number(geometry_.upper_edge(frame.depth)) + "\" width=\"";
  append_fixed(out, right - left, 1);
  out += "\" height=\"";
  append_fixed(out, geometry_.row - kFrameGap, 1);
  out += std::string("\" fill=\"url(#") + pattern + ")\"/>";
}

// Whether its change may be noise, where there is a change to be seen.
bool FrameWriter::is_noise(const Frame& frame) const {
  if (!drawing_.shows_vanished || !drawing_.delta_total || !drawing_.changes.is_noise(frame.node))
    return false;
  const Sides sides = sides_of(tree_, frame.node, drawing_, total_, true);
  return change_bin(drawing_.absolute ? sides.growth() : sides.points()) != 0;
}

void FrameWriter::append_label(std::string& out, const Frame& frame, Colour fill) const {
  const double x1 = geometry_.left(frame.start), x2 = geometry_.left(frame.start + frame.room);
  const double y1 = geometry_.upper_edge(frame.depth), y2 = y1 + geometry_.row - kFrameGap;
  const std::string label = label_text(frame, fill, x2 - x1);
  if (label.empty()) return;
  // as an attribute too, since a content policy may forbid styles
  out += is_dark(fill) ? "<text fill=\"rgb(255,255,255)\" x=\"" : "<text x=\"";
  append_fixed(out, x1 + 3, 2);
  out += "\" y=\"" + number(3 + (y1 + y2) / 2) + "\">";
  append_xml(out, label);
  out += "</text>";
}

// The boundary of CPU and GPU, which an AI flame graph explains.
bool FrameWriter::is_boundary(const Frame& frame) const {
  return drawing_.ai && tree_.name(frame.node) == "-";
}

std::string FrameWriter::label_text(const Frame& frame, Colour fill, double width) const {
  if (is_boundary(frame)) {
    const bool above = drawing_.inverted == drawing_.reversed;
    const char* text = above ? "GPU above / CPU below" : "CPU above / GPU below";
    const std::string label = fitting_label(text, width, drawing_.font);
    return label == text ? label : fitting_label("-", width, drawing_.font);
  }
  const std::string_view name = shown_name(tree_, frame);
  if (!drawing_.ai) return fitting_label(name, width, drawing_.font);
  return brief_label(name, tree_.differential() ? "" : share_text(frame), width,
                     is_dark(fill) ? bold(drawing_.font) : drawing_.font);
}

// Of the whole, as labels say it: "12.3%".
std::string FrameWriter::share_text(const Frame& frame) const {
  if (frame.node == FlameTree::kRoot) return "100%";
  std::string text;
  append_fixed(text, share(frame.count, total_), 1);
  return text + "%";
}

Colour FrameWriter::colour(const Frame& frame) const {
  const std::string_view name = tree_.name(frame.node);
  if (!tree_.differential() || layer_of(name) == Layer::boundary) return palette_.colour(name);
  if (drawing_.shows_vanished) {
    const Sides sides = sides_of(tree_, frame.node, drawing_, total_, drawing_.delta_total);
    const int bin = change_bin(drawing_.absolute ? sides.growth() : sides.points());
    if (is_noise(frame)) return pale(bin_colour(bin));
    // all of a frame without counts is hatched, in white, so its label is black
    return bin_colour(frame.count > 0 ? bin : std::clamp(bin, 1 - kLastBin, kLastBin - 1));
  }
  const auto [before, after] = tree_.change(frame.node, drawing_.delta_total);
  return difference_colour(before, after, greatest_change_, drawing_.negate);
}

}  // namespace aiflame::svg
