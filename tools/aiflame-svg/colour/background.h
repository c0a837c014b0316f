// SPDX-License-Identifier: MIT
// Backgrounds of pictures: flamegraph.pl's, or one colour.
#pragma once

#include <optional>
#include <string>

namespace aiflame::svg {

// The colours at the top and at the bottom, as text of SVG.
struct Background {
  std::string top, bottom;
};

// Of AI flame graphs.
inline constexpr const char* kFlatBackground = "#ffffff";

// A name (yellow, blue, green or grey) or `#rrggbb`; nothing for other texts.
std::optional<Background> find_background(const std::string& name);

// Whether text on it is white.
bool is_dark(const Background& background);

// The name of the background that flamegraph.pl gives a palette.
const char* background_of_palette(const std::string& palette);

}  // namespace aiflame::svg
