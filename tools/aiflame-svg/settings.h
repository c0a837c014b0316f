// SPDX-License-Identifier: MIT
// The command line of aiflame-svg.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/count.h"
#include "tools/aiflame-svg/palette.h"
#include "tools/aiflame-svg/svg.h"

namespace aiflame {

struct SvgSettings {
  std::vector<std::string> inputs;  // none is standard input
  std::string palette;              // empty: hot, or aiflame when there are device frames
  Palette::Shade shade = Palette::Shade::name;
  std::string background;  // empty: that of the palette
  std::string title;       // empty: by the kind of graph
  bool reverse = false;    // merge from the leaves
  bool chart = false;      // the x axis is the input's order
  Count total;
  Drawing drawing;
};

// Nothing when --help or --version was printed. Throws UsageError.
std::optional<SvgSettings> parse_settings(int argc, char** argv);

// What depends on the input: the palette, its background and the title. `device` tells that there
// are frames of an accelerator.
Palette choose_palette(SvgSettings& settings, bool device);

}  // namespace aiflame
