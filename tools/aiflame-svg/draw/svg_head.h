// SPDX-License-Identifier: MIT
// The start of a picture, before its frames: declarations and the root element with its attributes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/draw/sides.h"

namespace aiflame::svg {

// The start of the file: an XML declaration or, with --html, the head of a page.
std::string document_head(const Drawing& drawing);

// What frames are measured against.
struct Scale {
  uint64_t total;            // what percentages are of
  uint64_t room;             // the width of the picture, in counts
  uint64_t greatest_change;  // of any frame of a differential, at least 1; 0 for other trees
  OneSided only;             // of a differential
};

// The start tag <svg>, with everything that the script needs to know, and the background.
std::string svg_start(const Drawing& drawing, const Geometry& geometry, const Scale& scale,
                      std::string_view palette, bool hidden = false);

}  // namespace aiflame::svg
