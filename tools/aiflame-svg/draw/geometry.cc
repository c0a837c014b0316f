// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/geometry.h"

#include <algorithm>

namespace aiflame::svg {

Geometry::Geometry(const Drawing& drawing, uint32_t depth, uint64_t total, double legend_height,
                   double verdict_height)
    : row(static_cast<double>(drawing.row_height)), inverted(drawing.inverted) {
  const auto width = static_cast<double>(drawing.width);
  const double size = drawing.font.size;
  per_count = std::max(1.0, width - 2 * kSidePad) / std::max(1.0, static_cast<double>(total));
  top = 3 * size;
  title = 2 * size;
  Font title_font = drawing.font;
  title_font.size += 5;
  if (text_width(drawing.title, title_font) > width - 2 * (kControls + kSidePad)) {
    // the controls stay on the first line, and the title goes below them
    title += 2 * size;
    top += 2 * size;
  }
  bottom = 2 * size + 10;
  if (!drawing.subtitle.empty()) top += 2 * size;
  verdict_top = top;
  top += verdict_height;
  legend_top = top;
  top += legend_height;
  height = (depth + 1.0) * row + top + bottom;
}

}  // namespace aiflame::svg
