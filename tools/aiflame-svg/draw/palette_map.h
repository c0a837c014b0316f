// SPDX-License-Identifier: MIT
// --cp: palette.map, the colours that names had in the pictures before.
//
//   main->rgb(243,179,42)
#pragma once

#include <map>
#include <string>

#include "tools/aiflame-svg/draw/palette.h"

namespace aiflame::svg {

inline constexpr const char* kPaletteMap = "palette.map";  // in the working directory

// Sorted by name. The last "->" of a line is the one that counts: `operator->` is a name.
using PaletteMap = std::map<std::string, Colour, std::less<>>;

// Empty where there is no such file. Throws Error, with the line.
PaletteMap read_palette_map(const std::string& path);
void write_palette_map(const std::string& path, const PaletteMap& map);

}  // namespace aiflame::svg
