// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/svg_head.h"

#include <optional>

#include "libcommon/folded/unit_scale.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/change_bin.h"
#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

std::string xml_declaration(const Drawing& drawing) {
  return std::string("<?xml version=\"1.0\"") +
         (drawing.says_encoding ? " encoding=\"UTF-8\"" : "") + " standalone=\"no\"?>\n";
}

// The hatching of what vanished. The colour of a frame, and of a search match, shines through.
std::string vanished_pattern(const Drawing& drawing) {
  return "<pattern id=\"vanished\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\">"
         "<rect width=\"6\" height=\"6\" fill=\"rgb(255,255,255)\" fill-opacity=\"0.8\"/>"
         "<rect width=\"1.5\" height=\"6\" fill=\"" +
         rgb(bin_colour(drawing.negate ? 2 : -2)) + "\"/></pattern>\n";
}

// Over the pale colour of a change that may be noise.
std::string noise_pattern() {
  return "<pattern id=\"noise\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(-45)\"><rect width=\"1\" height=\"6\" "
         "fill=\"rgb(120,120,120)\" fill-opacity=\"0.35\"/></pattern>\n";
}

// Its ground is the colour that the palette gives the boundary.
std::string boundary_pattern() {
  return "<pattern id=\"boundary\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"" +
         rgb(kHatchedBoundary) + "\"/><rect width=\"2\" height=\"6\" fill=\"" +
         rgb(kBoundaryStripe) + "\"/></pattern>\n";
}

// "event gpu-time, unit ns": a comment line of folded(5) without its beginning.
std::string quantity_text(const Quantity& quantity) {
  const std::string line = quantity_line(quantity);
  constexpr std::string_view kBegin = "# aiflame: ";
  return line.substr(kBegin.size(), line.size() - kBegin.size() - 1);
}

// The units that counts are shown in. Those of time the script knows.
std::string steps_attribute(std::string_view unit) {
  const std::optional<UnitScale> scale = unit_scale(unit);
  if (!scale || unit == kNanoseconds) return {};
  return "\" data-steps=\"" + scale_steps(*scale);
}

std::string html_head(const Drawing& drawing) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         xml(drawing.title) +
         "</title>\n<style>html, body { margin: 0; }</style>\n</head>\n<body>\n";
}

// What the page may choose: its width and, unless they are given, the height of rows, the font and
// the background.
std::string page_choices(const Drawing& drawing) {
  std::string given;
  const auto add = [&](bool is_given, const char* name) {
    if (is_given) given += (given.empty() ? "" : " ") + std::string(name);
  };
  add(drawing.given_row_height, "height");
  add(drawing.given_font, "font");
  add(drawing.given_font_size, "fontsize");
  add(drawing.keeps_background, "background");
  return (drawing.given_width ? "" : " data-fluid=\"1\"") +
         (given.empty() ? "" : " data-given=\"" + given + "\"");
}

}  // namespace

std::string document_head(const Drawing& drawing) {
  return drawing.html ? html_head(drawing) : xml_declaration(drawing);
}

std::string svg_start(const Drawing& drawing, const Geometry& geometry, const Scale& scale,
                      std::string_view palette, bool hidden) {
  const std::string width = std::to_string(drawing.width), height = number(geometry.height);
  const double size = drawing.font.size;
  std::string out = "<svg version=\"1.1\" width=\"" + width + "\" height=\"" + height +
                    "\" viewBox=\"0 0 " + width + " " + height +
                    "\" xmlns=\"http://www.w3.org/2000/svg\" "
                    "xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  // the font as attributes too, since a content policy may forbid styles
  out += " font-family=\"" + xml(drawing.font.family) + "\" font-size=\"" + number(size) + "\"";
  out += page_choices(drawing);
  if (!drawing.tab.empty()) out += " data-tab=\"" + xml(drawing.tab) + "\"";
  if (hidden) out += " display=\"none\"";
  // data for the script, which takes it as text, never as code
  out += " data-nametype=\"" + xml(drawing.name_type) + "\" data-countname=\"" +
         xml(drawing.count_name) + "\" data-charwidth=\"" + number(size * drawing.font.width, 4) +
         "\" data-decimals=\"" + std::to_string(drawing.decimals) + "\" data-factor=\"" +
         number(drawing.factor, 6) + (drawing.negate ? "\" data-negate=\"1" : "") +
         (drawing.ai ? "\" data-look=\"ai" : "") +
         (drawing.layout.empty() ? "" : "\" data-layout=\"" + drawing.layout) +
         (drawing.ai && drawing.reversed ? "\" data-reversed=\"1" : "") +
         (drawing.inverted ? "\" data-inverted=\"1" : "") +
         (drawing.links_listings ? "\" data-listings=\"1" : "") +
         (drawing.unit.empty() ? "" : "\" data-unit=\"" + xml(drawing.unit)) +
         steps_attribute(drawing.unit) +
         (drawing.quantity.is_known() ? "\" data-quantity=\"" + xml(quantity_text(drawing.quantity))
                                      : "") +
         "\" data-total=\"" + std::to_string(scale.total) +
         (drawing.shows_vanished ? "\" data-room=\"" + std::to_string(scale.room) : "") +
         "\" data-palette=\"" + xml(palette) + "\" data-top=\"" + number(geometry.top) +
         "\" data-bottom=\"" + number(geometry.bottom) + "\" data-row=\"" +
         number(static_cast<double>(drawing.row_height)) + "\"";
  if (scale.greatest_change > 0)
    out += std::string(" data-widths=\"") + (drawing.opens_with_vanished ? "both" : "second") +
           (drawing.absolute ? "" : "\" data-scale=\"normalised") + "\" data-delta=\"" +
           (drawing.opens_with_total ? "total" : "self") + "\" data-only-before=\"" +
           std::to_string(scale.only.before) + "\" data-only-after=\"" +
           std::to_string(scale.only.after) + "\"";
  out += ">\n";
  // names the tab, and the picture for those who hear it
  out += "<title>" + xml(drawing.title) + "</title>\n";
  out += "<!-- Flame graph, drawn by aiflame-svg from folded stacks. -->\n";
  out += "<!-- NOTES: " + xml_comment(drawing.notes) + " -->\n";
  out +=
      "<defs>\n<linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">\n"
      "<stop stop-color=\"" +
      xml(drawing.background_top) +
      "\" offset=\"5%\"/>\n"
      "<stop stop-color=\"" +
      xml(drawing.background_bottom) +
      "\" offset=\"95%\"/>\n"
      "</linearGradient>\n";
  if (drawing.hatches_boundary) out += boundary_pattern();
  if (scale.greatest_change > 0) out += vanished_pattern(drawing);
  if (!drawing.changes.empty()) out += noise_pattern();
  out += "</defs>\n";
  return out;
}

}  // namespace aiflame::svg
