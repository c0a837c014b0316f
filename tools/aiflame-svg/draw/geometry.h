// SPDX-License-Identifier: MIT
// Positions in the picture, in pixels.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/draw/drawing.h"

namespace aiflame::svg {

inline constexpr double kSidePad = 10;    // left and right of the frames
inline constexpr double kFrameGap = 1;    // between rows
inline constexpr double kControls = 125;  // "View" and "Reset Zoom", "Reset Search" and "ic"

struct Geometry {
  // `depth` is the depth of the deepest frame, `total` what the whole width stands for.
  Geometry(const Drawing& drawing, uint32_t depth, uint64_t total, double legend_height,
           double verdict_height = 0);

  double per_count;  // width of one count
  double title;      // the base line of the title
  double verdict_top;
  double legend_top;
  double top;     // upper edge of the uppermost row
  double bottom;  // height of the area below the frames
  double height;  // of the picture

  double left(uint64_t start) const { return kSidePad + static_cast<double>(start) * per_count; }
  // The upper edge of the frames at a depth.
  double upper_edge(uint32_t depth) const {
    return inverted ? top + depth * row : height - bottom - (depth + 1.0) * row + kFrameGap;
  }
  double row;
  bool inverted;
};

}  // namespace aiflame::svg
