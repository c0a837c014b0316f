// SPDX-License-Identifier: MIT
// folded(5) as input of aiflame-svg, drawn with different options. No text of the input may become
// markup or script: the SVG has exactly the tags that its frames need.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/base/program.h"
#include "tests/fuzz/memory_file.h"
#include "tools/aiflame-svg/draw/svg.h"
#include "tools/aiflame-svg/read_stacks.h"
#include "tools/aiflame-svg/settings.h"

using namespace aiflame;
using namespace aiflame::svg;

namespace {

size_t count(std::string_view text, std::string_view wanted) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(wanted, at)) != std::string_view::npos; at += wanted.size())
    ++found;
  return found;
}

void draw(const std::string& path, const LexOptions& options, SvgSettings settings) {
  std::string svg;
  const auto keep = [&](std::string_view text) { svg += text; };
  try {
    Stacks stacks = read_stacks({path}, options);
    choose_look_of_change(settings, stacks.tree, stacks.quantity);
    if (settings.drawing.shows_vanished) stacks.tree.show_vanished();
    settings.drawing.decimals = stacks.decimals;
    settings.drawing.total = stacks.tree.total(FlameTree::kRoot);
    if (stacks.tree.room(FlameTree::kRoot) == 0) return;
    Palette palette = choose_palette(settings, true);
    palette.set_reasons(find_reason_names(stacks.tree));
    choose_unit(settings, stacks.quantity, stacks.adds_units, has_work(palette.reasons()));
    write_svg(stacks.tree, palette, settings.drawing, keep);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("internal") != std::string_view::npos) abort();
    svg = error_svg(error.what(), settings.drawing);
    if (count(svg, "<script") != 0) abort();
    return;
  }
  // one script with one end, and only the tags that the program writes
  if (count(svg, "<script") != 1 || count(svg, "]]>") != 1 || !svg.ends_with("</svg>\n")) abort();
  const std::string_view picture = std::string_view(svg).substr(0, svg.find("<script"));
  for (const char c : picture)
    if (c >= 0 && c < 0x20 && c != '\n' && c != '\t') abort();
  if (count(picture, "<g data-d=") + 1 != count(picture, "<title>")) abort();  // and the picture's
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  if (size == 0) return 0;
  file.set({reinterpret_cast<const char*>(data) + 1, size - 1});
  LexOptions options;
  options.merges = (data[0] & 1) == 0;
  options.reverse = (data[0] & 2) != 0;
  options.wakers = (data[0] & 4) != 0;
  SvgSettings settings;
  static constexpr const char* kPalettes[] = {"aiflame", "hot", "java", "js",
                                              "perl",    "io",  "mem",  "chain"};
  settings.palette = kPalettes[data[0] >> 5];
  settings.drawing.inverted = settings.drawing.legend = (data[0] & 8) != 0;
  settings.drawing.negate = options.mixed = (data[0] & 16) != 0;
  settings.chart = !options.merges;
  settings.drawing.least_width = 0;
  draw(file.path(), options, settings);
  return 0;
}
