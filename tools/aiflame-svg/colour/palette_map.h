// SPDX-License-Identifier: MIT
// --cp: palette.map, which keeps the colours of names from picture to picture.
//
//   main->rgb(243,179,42)
#pragma once

#include <map>
#include <string>

#include "libcommon/base/output.h"
#include "tools/aiflame-svg/colour/colour.h"

namespace aiflame::svg {

inline constexpr const char* kPaletteMap = "palette.map";  // in the working directory

// Sorted by name. The last "->" of a line separates name and colour, as in `operator->->rgb(…)`.
using PaletteMap = std::map<std::string, Colour, std::less<>>;

// Empty when the file does not exist. Throws Error, with the line.
PaletteMap read_palette_map(const std::string& path);
void write_palette_map(Output& out, const PaletteMap& map);

}  // namespace aiflame::svg
