// SPDX-License-Identifier: MIT
// The part of a name that fits into a frame, estimated without the font.
#pragma once

#include <string>
#include <string_view>

namespace aiflame::svg {

struct Font {
  std::string family = "Verdana";
  double size = 12;
  double width = 0.59;  // mean width of a character, relative to `size`
};

// The most pixels that `text` can be wide: from a table of widths for Verdana, from the mean width
// for other fonts. East Asian characters and emoji are square.
double text_width(std::string_view text, const Font& font);

// `name`, or its beginning and "..", for a frame `width` pixels wide whose text starts 3 pixels
// from its edge. Empty when there is only room for two characters. This is flamegraph.pl's text,
// cut further where wide characters would stick out.
std::string fitting_label(std::string_view name, double width, const Font& font);

// `name` for a frame `width` pixels wide, in the form that fits (short_forms.h) or with "…" for its
// middle, and `share`, "12.3%", where enough room is left. Empty when there is no room for two
// characters. page/labels.js has the same rule.
std::string brief_label(std::string_view name, std::string_view share, double width,
                        const Font& font);

// As brief_label() without a share, for text `room` pixels wide.
std::string fitting_form(std::string_view name, double room, const Font& font);

// `text`, which is wider than `room`, with "…" for its middle.
std::string cut_middle(std::string_view text, double room, const Font& font);

}  // namespace aiflame::svg
