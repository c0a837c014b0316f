// SPDX-License-Identifier: MIT
// A flame tree as one self-contained SVG: frames with tooltips and labels that need no script, and
// a script (viewer.js) to zoom and search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/aiflame-svg/draw/label.h"
#include "tools/aiflame-svg/draw/palette.h"
#include "tools/aiflame-svg/draw/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class NameAttributes;

struct Drawing {
  std::string title = "Flame Graph";
  std::string subtitle;
  std::string notes;                    // a comment in the file
  std::string count_name = "samples";   // what is counted
  std::string name_type = "Function:";  // what a frame is
  uint64_t width = 1200;                // of the image, pixels
  uint64_t row_height = 16;
  Font font;
  std::string background_top = "#eeeeee", background_bottom = "#eeeeb0";
  bool inverted = false;          // root on top
  bool negate = false;            // blue for more, red for fewer
  bool delta_total = false;       // a frame's change is that of all above it too, not its own alone
  bool legend = false;            // of the layers of an AI flame graph
  double least_width = 0.1;       // narrower frames are left out; pixels
  bool least_is_percent = false;  // of the total, not pixels
  uint64_t total = 0;             // the whole width, where it is more than what was counted
  unsigned decimals = 0;          // of the tree's counts
  double factor = 1;              // of the counts that are shown
  const NameAttributes* attributes = nullptr;  // of elements, by name
  bool html = false;                           // a page of HTML that holds the SVG
  bool says_encoding = false;                  // in the XML declaration
  // Bytes of the data for the script (tree_data.h); by default what leaves the file within
  // kFileSize.
  std::optional<uint64_t> embed;
};

// What a browser opens and a mail takes.
inline constexpr uint64_t kFileSize = 20000000;

// Gives `sink` the SVG, piece by piece. The same tree gives the same bytes.
void write_svg(const FlameTree& tree, const Palette& palette, const Drawing& drawing,
               const Sink& sink);

// An image that says `message`, for what draws flame graphs unattended.
std::string error_svg(std::string_view message, const Drawing& drawing);

}  // namespace aiflame::svg
