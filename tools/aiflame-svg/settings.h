// SPDX-License-Identifier: MIT
// The command line of aiflame-svg.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/folded/quantity.h"
#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/draw/drawing.h"

namespace aiflame::svg {

struct SvgSettings {
  std::vector<std::string> inputs;  // empty: standard input
  // --tab: names and files of the profiles of one page; empty: there is one, of `inputs`
  std::vector<std::pair<std::string, std::string>> tabs;
  std::string palette;  // empty: hot, or aiflame when there are frames of a device or a model
  Shade shade = Shade::name;
  std::string background;     // empty: the palette's
  std::string title;          // empty: named after the kind of graph
  bool reverse = false;       // merge from the leaves
  bool chart = false;         // the x axis is the order of the input
  bool names_count = false;   // --countname: the user says what is counted
  bool mixed = false;         // counts of different units are added
  std::string vanished;       // show or hide; empty: as the input is
  std::string delta;          // self or total; empty: as the picture is
  bool keep_colours = false;  // --cp: in palette.map
  std::string attributes;     // --nameattr: a file; empty: none
  std::string links;          // --annotate: aiflame-annotate's file of links; empty: none
  std::string listings;       // and its file of listings
  bool classic = false;       // flamegraph.pl's look for AI flame graphs, too
  bool strict = false;        // a line that is no stack is an error
  bool no_sandbox = false;
  Count total;
  Drawing drawing;
};

// Returns nothing when --help or --version was printed. Throws UsageError.
std::optional<SvgSettings> parse_settings(int argc, char** argv);

// The following choose what depends on the input.
// The unit of the counts, and the line under the title that says it. `adds_units`: they have
// several. Samples of stall reasons are called stalls only if no reason is work: `has_work`.
void choose_unit(SvgSettings& settings, const Quantity& quantity, bool adds_units, bool has_work);
// How a differential is drawn: flamegraph.pl's way when the text does not say what it counts.
void choose_look_of_change(SvgSettings& settings, const FlameTree& tree, const Quantity& quantity);
// The palette, its background and the title. `ai`: there are frames that only AI flame graphs
// have.
Palette choose_palette(SvgSettings& settings, bool ai);

// Adds to the line under the title.
void add_to_subtitle(Drawing& drawing, const std::string& text);

}  // namespace aiflame::svg
