// SPDX-License-Identifier: MIT
// The command line of aiflame-svg.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/draw/drawing.h"

namespace aiflame::svg {

struct SvgSettings {
  std::vector<std::string> inputs;  // empty: standard input
  std::string palette;              // empty: hot, or aiflame when there are device frames
  Shade shade = Shade::name;
  std::string background;     // empty: the palette's
  std::string title;          // empty: named after the kind of graph
  bool reverse = false;       // merge from the leaves
  bool chart = false;         // the x axis is the order of the input
  bool keep_colours = false;  // --cp: in palette.map
  std::string attributes;     // --nameattr: a file; empty: none
  bool strict = false;        // a line that is no stack is an error
  bool no_sandbox = false;
  Count total;
  Drawing drawing;
};

// Returns nothing when --help or --version was printed. Throws UsageError.
std::optional<SvgSettings> parse_settings(int argc, char** argv);

// Chooses what depends on the input: the palette, its background and the title. `device`: there are
// frames of an accelerator.
Palette choose_palette(SvgSettings& settings, bool device);

}  // namespace aiflame::svg
