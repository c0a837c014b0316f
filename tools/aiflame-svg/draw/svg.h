// SPDX-License-Identifier: MIT
// Draws a flame tree as one self-contained SVG. Its frames have tooltips and labels that need no
// script; a script (page/) zooms and searches.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/text/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct Picture {
  const FlameTree& tree;
  const Palette& palette;
  const Drawing& drawing;
};

// Gives `sink` the SVG, piece by piece. The same tree gives the same bytes. Several pictures are in
// one file: the first one is shown, the others are hidden elements in it, of which the page shows
// one at a time.
void write_pictures(std::span<const Picture> pictures, const Sink& sink);
void write_svg(const FlameTree& tree, const Palette& palette, const Drawing& drawing,
               const Sink& sink);

// A picture of `message`, for programs that draw flame graphs unattended.
std::string error_svg(std::string_view message, const Drawing& drawing);

}  // namespace aiflame::svg
