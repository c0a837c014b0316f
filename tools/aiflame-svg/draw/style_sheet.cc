// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/style_sheet.h"

#include <algorithm>

#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/background.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

std::string font_families(const Drawing& drawing) {
  const std::string& family = drawing.font.family;
  if (drawing.ai && !drawing.given_font)
    return "Inter, \"Segoe UI\", Verdana, \"DejaVu Sans\", sans-serif";
  return family == "Verdana" ? "Verdana, \"DejaVu Sans\", sans-serif" : css_string(family);
}

// The colours of texts and grounds are those of the page's controls (page/shell.js).
constexpr const char* kAiStyles =
    // Inter writes 0x1d7 and -> with signs of its own, which are not in the name
    "text { fill:rgb(22,24,29); font-variant-ligatures:none; font-feature-settings:\"calt\" 0; }\n"
    "#subtitle { fill:rgb(84,96,111); }\n"
    "#verdict .kernel { font-weight:600; }\n"
    "#verdict .lead { fill:rgb(84,96,111); }\n"
    "#verdict g text { fill:rgb(255,255,255); font-weight:600; }\n"
    "#frames text { fill:rgb(0,0,0); }\n"
    "#frames .light > text { fill:rgb(255,255,255); font-weight:600; }\n";

// The background of a dark system and the texts on it; frames and their text keep their colours. A
// background that the user chose stays as it is.
std::string dark_styles(const Drawing& drawing) {
  const bool ai = drawing.ai;
  const std::string on_dark =
      std::string("text { fill:") + (ai ? "rgb(232,234,238)" : "rgb(222,222,222)") +
      "; }\n#subtitle { fill:" + (ai ? "rgb(169,177,188)" : "rgb(170,170,170)") + "; }\n" +
      (ai ? "#verdict .lead { fill:rgb(169,177,188); }\n" : "") +
      "#frames text { fill:rgb(0,0,0); }\n"
      "#frames .light > text { fill:rgb(255,255,255); }\n"
      "#frames > *:hover, #frames > *:focus-visible { stroke:rgb(255,255,255); }\n";
  if (drawing.given_background)
    return is_dark(Background{drawing.background_top, drawing.background_bottom}) ? on_dark : "";
  const std::string ground = ai ? "rgb(27,29,34)" : "rgb(32,32,36)";
  return "@media (prefers-color-scheme: dark) {\n:root { background:" + ground +
         "; }\n#background stop { stop-color:" + ground + "; }\n" + on_dark + "}\n";
}

// Neighbours of one layer differ little. Those that have round corners have room for a gap.
constexpr const char* kGapStyles =
    "#frames rect[rx] { stroke:rgb(255,255,255); stroke-width:0.6; }\n"
    "#frames > *:hover rect[rx], #frames > *:focus-visible rect[rx] { stroke:black; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "#frames rect[rx] { stroke:rgb(27,29,34); }\n"
    "#frames > *:hover rect[rx], #frames > *:focus-visible rect[rx] "
    "{ stroke:rgb(255,255,255); }\n"
    "}\n";

}  // namespace

std::string style_sheet(const Drawing& drawing, bool differential) {
  std::string out =
      "<style type=\"text/css\">\n"
      "text { font-family:" +
      font_families(drawing) + "; font-size:" + number(drawing.font.size) +
      "px; fill:rgb(0,0,0); }\n"
      "#search, #ignorecase, #view { opacity:0.6; cursor:pointer; }\n"
      "#search:hover, #search.show, #ignorecase:hover, #ignorecase.show, #view:hover, #view.show "
      "{ opacity:1; }\n"
      "#ignorecase.show, #view.show { font-weight:bold; }\n"
      "#title { text-anchor:middle; font-size:" +
      number(drawing.font.size + 5) +
      "px; }\n"
      "#subtitle { text-anchor:middle; fill:rgb(80,80,80); }\n"
      "#unzoom { cursor:pointer; }\n"
      "#frames text { pointer-events:none; }\n"
      "#frames > *:hover { stroke:black; stroke-width:0.5; cursor:pointer; }\n"
      "#frames > *:hover text { stroke:none; }\n"
      "[display=none] { display:inline; }\n"
      ".hide { display:none; }\n"
      // frames below the view keep their colour, and their text its contrast
      ".parent > text { font-size:0.8em; }\n"
      "#legend rect { stroke:rgb(120,120,120); stroke-width:0.5; }\n"
      ".light > text { fill:rgb(255,255,255); }\n"
      "#frames > *:focus { outline:none; }\n"
      "#frames > *:focus-visible { stroke:black; stroke-width:2; }\n"
      "#frames > *:focus-visible text { stroke:none; }\n";
  if (drawing.ai)
    out += kAiStyles;
  else if (!drawing.classic && !differential)
    out += "#verdict .function { font-weight:600; }\n";
  out += dark_styles(drawing);
  if (drawing.ai && !differential) out += kGapStyles;
  // Most frames of a differential are white: without an outline they would run together.
  if (differential)
    out +=
        "#frames rect { stroke:rgb(170,170,170); stroke-width:0.5; }\n"
        "#frames > *:hover rect, #frames > *:focus-visible rect { stroke:black; }\n"
        ".difference text { font-size:" +
        number(std::max(1.0, drawing.font.size - 2)) +
        "px; }\n"
        ".difference .light { fill:rgb(255,255,255); }\n"
        ".difference .dark { fill:rgb(0,0,0); }\n"
        "#frames .new > rect, #legend .new { stroke:rgb(179,38,30); stroke-width:2; }\n"
        "#frames .gone > rect, #legend .gone { stroke:rgb(31,79,163); stroke-width:2; }\n"
        // labels run from a frame's colour into its hatching
        "#frames .vanished > text { paint-order:stroke; stroke:rgb(255,255,255); stroke-width:2.5; "
        "stroke-opacity:0.8; }\n"
        "#frames .vanished.light > text { stroke:rgb(22,24,29); }\n";
  return out + "</style>\n";
}

}  // namespace aiflame::svg
