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
  std::vector<std::string> inputs;  // none is standard input
  std::string palette;              // empty: hot, or aiflame when there are device frames
  Shade shade = Shade::name;
  std::string background;     // empty: that of the palette
  std::string title;          // empty: by the kind of graph
  bool reverse = false;       // merge from the leaves
  bool chart = false;         // the x axis is the input's order
  bool keep_colours = false;  // in palette.map
  std::string attributes;     // file of --nameattr; empty is none
  Count total;
  Drawing drawing;
};

// Nothing when --help or --version was printed. Throws UsageError.
std::optional<SvgSettings> parse_settings(int argc, char** argv);

// What depends on the input: the palette, its background and the title. `device` tells that there
// are frames of an accelerator.
Palette choose_palette(SvgSettings& settings, bool device);

}  // namespace aiflame::svg
