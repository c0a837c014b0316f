// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/palette_map.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::svg {
namespace {

// "rgb(1,2,3)"
std::optional<Colour> parse_colour(std::string_view text) {
  Colour colour;
  if (!take_prefix(text, "rgb(") || !text.ends_with(')')) return std::nullopt;
  text.remove_suffix(1);
  for (uint8_t* channel : {&colour.red, &colour.green, &colour.blue}) {
    const size_t end = std::min(text.find(','), text.size());
    const auto value = parse_number<uint8_t>(text.substr(0, end));
    if (!value || (channel == &colour.blue) != (end == text.size())) return std::nullopt;
    *channel = *value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return colour;
}

}  // namespace

PaletteMap read_palette_map(const std::string& path) {
  PaletteMap map;
  if (access(path.c_str(), F_OK) != 0) return map;
  LineReader reader(path);
  std::string_view line;
  while (reader.next(line)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const size_t arrow = line.rfind("->");
    const auto colour =
        arrow == std::string_view::npos ? std::nullopt : parse_colour(line.substr(arrow + 2));
    if (!colour) throw Error(reader.place() + ": expected a name, '->' and 'rgb(R,G,B)'");
    map.insert_or_assign(std::string(line.substr(0, arrow)), *colour);
  }
  return map;
}

void write_palette_map(Output& out, const PaletteMap& map) {
  for (const auto& [name, colour] : map) out.write(name + "->" + rgb(colour) + "\n");
  out.close();
}

}  // namespace aiflame::svg
