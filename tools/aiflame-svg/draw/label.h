// SPDX-License-Identifier: MIT
// The part of a name that fits into a frame, as far as that can be told without the font.
#pragma once

#include <string>
#include <string_view>

namespace aiflame::svg {

struct Font {
  std::string family = "Verdana";
  double size = 12;
  double width = 0.59;  // of the mean character, relative to `size`
};

// How many pixels wide `text` is at most: for Verdana by its widths, for other fonts by the mean
// width of their characters; East Asian characters and emoji are square.
double text_width(std::string_view text, const Font& font);

// `name`, or its beginning and "..", for a frame `width` pixels wide whose text starts 3 pixels
// from its edge; empty where no more than two characters have room. That is flamegraph.pl's text,
// cut further where wide characters would stick out.
std::string fitting_label(std::string_view name, double width, const Font& font);

}  // namespace aiflame::svg
