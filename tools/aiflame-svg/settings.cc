// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "libcommon/base/options.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/unit_scale.h"
#include "libcommon/io/directory.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-svg/colour/background.h"
#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/data/tree_data.h"
#include "tools/aiflame-svg/draw/shown_count.h"

namespace aiflame::svg {
namespace {

// Option values that are checked and converted after parsing.
struct Given {
  std::optional<uint64_t> width, row_height;
  double font_size = -1;  // not given
  std::string font;
  std::string least_width, total, encoding, embed;
  std::vector<std::string> count_names, tabs;
  bool hash = false, random = false;
};

void declare(Options& options, SvgSettings& settings, Given& given) {
  Drawing& drawing = settings.drawing;
  options.text("title", settings.title, "TEXT", "title of the graph");
  options.text("subtitle", drawing.subtitle, "TEXT", "second line under the title");
  options.number("width", given.width, "PIXELS", "width of the image; 1200");
  options.number("height", given.row_height, "PIXELS", "height of each frame; 16");
  options.text("minwidth", given.least_width, "WIDTH",
               "leave out narrower frames; pixels, or percent of the whole as '1%'; 0.1");
  options.text("fonttype", given.font, "NAME", "font of all text; Verdana");
  options.real("fontsize", given.font_size, "PIXELS", "size of the font; 12");
  options.real("fontwidth", drawing.font.width, "RATIO",
               "mean width of a character, relative to the size; 0.59");
  options.list("countname", given.count_names, "TEXT",
               "what is counted; what the input says, else samples");
  options.text("nametype", drawing.name_type, "TEXT", "what a frame is; Function:");
  options.text("colors", settings.palette, "PALETTE",
               "aiflame, where there are frames of a device or a model, else hot; or mem, io, "
               "wakeup, chain, java, "
               "js, perl, red, green, blue, aqua, yellow, purple, orange");
  options.text("bgcolors", settings.background, "COLOR",
               "background: yellow, blue, green, grey or #rrggbb; white for AI flame graphs, else "
               "by the palette");
  options.flag("classic", settings.classic,
               "draw AI flame graphs with flamegraph.pl's background and ramps of colours");
  options.text(
      "layout", drawing.layout, "KIND",
      "how the page draws an AI flame graph at first: aligned, one row each of kernels and "
      "reasons, or flame, every frame; aligned, but flame for differentials and large inputs");
  options.flag("hash", given.hash, "colours by a hash of the name");
  options.flag("random", given.random, "colours that do not depend on the name");
  options.flag("reverse", settings.reverse, "merge the stacks from their leaves");
  options.flag("inverted", drawing.inverted, "icicle graph: the root on top");
  options.flag("flamechart", settings.chart, "keep the order of the input: time goes rightwards");
  options.flag("negate", drawing.negate, "swap the colours and signs of a differential graph");
  options.text(
      "vanished", settings.vanished, "KIND",
      "show in a differential graph, hatched, what the second count has no longer, or hide "
      "it as flamegraph.pl does; show, where the input says what it counts");
  options.text("delta", settings.delta, "KIND",
               "colour a differential graph by the change of frames themselves, self, or with all "
               "on top of them, total; total, where what vanished is shown, else self");
  options.flag("mixed", settings.mixed, "add counts of different units, and show none");
  options.text("total", given.total, "COUNT",
               "what the whole width stands for; the sum of the counts");
  options.real("factor", drawing.factor, "NUMBER", "multiply the counts that are shown; 1");
  options.text("notes", drawing.notes, "TEXT", "a comment in the SVG");
  options.text("encoding", given.encoding, "NAME", "the encoding of the SVG: only UTF-8");
  options.flag("cp", settings.keep_colours,
               "take colours from palette.map, and add new names to it");
  options.text("nameattr", settings.attributes, "FILE",
               "attributes of functions' elements: NAME, a tab, and id=, class=, title=, href=, "
               "target=, g_extra=, a_extra= with tabs between");
  options.text(
      "annotate", settings.links, "DIR|FILE",
      "show the instructions of kernels beside the picture, and link frames to the pages of "
      "aiflame-annotate in DIR; or only link them, by its FILE of links");
  options.list("tab", given.tabs, "NAME=FILE",
               "draw several profiles in one page, each a tab of that name; repeat it");
  options.flag("html", drawing.html, "write a page of HTML");
  options.flag("strict", settings.strict,
               "fail at the first line that is no stack, and write nothing then");
  options.text("embed", given.embed, "SIZE",
               "data of narrow frames for the script: bytes, 64K, 8M, 1G, all, or 0 for none; what "
               "leaves the file within 20 MB");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  // --e is --given.encoding, as in flamegraph.pl, not --embed
  for (const char* ours : {"annotate", "classic", "delta", "embed", "html", "layout", "mixed",
                           "no-sandbox", "strict", "tab", "vanished"})
    options.extension(ours);
  options.values("colors", Palette::names());
  options.values("bgcolors", "yellow blue green grey");
  options.values("delta", "self total");
  options.values("vanished", "show hide");
  options.values("layout", "aligned flame");
  options.values("encoding", "UTF-8");
  options.values("embed", "all 0");
  options.operands(settings.inputs);
}

// Chromium on two busy cores shows as many in a second. 112,563, of 100,000 stacks, took it 16.
constexpr size_t kMostFrames = 10000;

// False when there is no such background.
bool set_background(const std::string& name, Drawing& drawing) {
  const std::optional<Background> background = find_background(name);
  if (!background) return false;
  drawing.background_top = background->top;
  drawing.background_bottom = background->bottom;
  return true;
}

void parse_least_width(std::string_view text, Drawing& drawing) {
  const std::string given(text);
  drawing.least_is_percent = text.ends_with('%');
  if (drawing.least_is_percent) text.remove_suffix(1);
  const auto width = parse_number<double>(text);
  // the negation also refuses NaN
  if (!width || !(*width >= 0) || *width > 1e9)
    throw UsageError(format("option '--minwidth': '%s' is no number of pixels, nor a percentage",
                            given.c_str()));
  drawing.least_width = *width;
}

// `64K`, `8M` and `1G` are powers of 1024.
uint64_t parse_size(std::string_view text) {
  const std::string given(text);
  if (text == "all") return kEmbedAll;
  unsigned shift = 0;
  const size_t unit =
      text.empty() ? std::string_view::npos : std::string_view("KMGkmg").find(text.back());
  if (unit != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(unit) % 3 + 1);
    text.remove_suffix(1);
  }
  const auto size = parse_number<uint64_t>(text);
  if (!size || *size > UINT64_MAX >> (shift + 1))
    throw UsageError(
        format("option '--embed': '%s' is no size such as 8M, nor 'all'", given.c_str()));
  return *size << shift;
}

// Refuses sizes that no viewer can show: browsers paint less than 1 000 000 pixels.
void check_range(const char* option, double value, double least, double most) {
  if (value < least || value > most)
    throw UsageError(
        format("option '--%s': %.7g is not between %.7g and %.7g", option, value, least, most));
}

void take_sizes(const Given& given, SvgSettings& settings) {
  Drawing& drawing = settings.drawing;
  drawing.given_width = given.width.has_value();
  drawing.given_row_height = given.row_height.has_value();
  drawing.given_font = !given.font.empty();
  drawing.given_font_size = given.font_size >= 0;
  drawing.width = given.width.value_or(drawing.width);
  drawing.row_height = given.row_height.value_or(drawing.row_height);
  if (!given.font.empty()) drawing.font.family = given.font;
  if (given.font_size >= 0) drawing.font.size = given.font_size;
  check_range("width", static_cast<double>(drawing.width), 30, 1e6);
  check_range("height", static_cast<double>(drawing.row_height), 2, 1000);
  check_range("fontsize", drawing.font.size, 1, 1000);
  check_range("fontwidth", drawing.font.width, 0.01, 100);
  // the page draws the others from the data, unless it keeps the file's picture
  if (given.least_width.empty() && given.embed.empty() && !given.width)
    drawing.most_frames = kMostFrames;
  if (!given.least_width.empty()) parse_least_width(given.least_width, drawing);
  if (!given.total.empty()) {
    const auto count = parse_count(given.total);
    if (!count)
      throw UsageError(format("option '--total': '%s' is not a number", given.total.c_str()));
    settings.total = *count;
  }
  if (!given.embed.empty()) drawing.embed = parse_size(given.embed);
}

void take_colours(const Given& given, SvgSettings& settings) {
  if (!settings.palette.empty() && !Palette::find(settings.palette))
    throw UsageError(format("option '--colors': no palette '%s', but %s", settings.palette.c_str(),
                            Palette::names()));
  if (!settings.background.empty() && !set_background(settings.background, settings.drawing))
    throw UsageError(
        format("option '--bgcolors': '%s' is neither yellow, blue, green, grey nor #rrggbb",
               settings.background.c_str()));
  if (given.random) settings.shade = Shade::scrambled;
  if (given.hash) settings.shade = Shade::hash;
}

void take_kinds(const Given& given, SvgSettings& settings) {
  Drawing& drawing = settings.drawing;
  std::string encoding = given.encoding;
  std::transform(encoding.begin(), encoding.end(), encoding.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!encoding.empty() && encoding != "utf-8" && encoding != "utf8")
    throw UsageError("option '--encoding': the SVG is always UTF-8");
  drawing.says_encoding = !encoding.empty();
  settings.names_count = !given.count_names.empty();
  if (settings.names_count) drawing.count_name = given.count_names.back();
}

void check_choice(const char* option, const std::string& given, const char* one,
                  const char* other) {
  if (!given.empty() && given != one && given != other)
    throw UsageError(
        format("option '--%s': '%s' is neither %s nor %s", option, given.c_str(), one, other));
}

void check_choices(const SvgSettings& settings) {
  check_choice("delta", settings.delta, "self", "total");
  check_choice("vanished", settings.vanished, "show", "hide");
  check_choice("layout", settings.drawing.layout, "aligned", "flame");
  if (settings.chart && settings.vanished == "show")
    throw UsageError("option '--vanished': a flame chart shows the second count");
}

// A page with more is better made as several.
constexpr size_t kMostTabs = 64;

void take_tabs(const Given& given, SvgSettings& settings) {
  if (given.tabs.empty()) return;
  if (!settings.inputs.empty())
    throw UsageError("--tab and files exclude each other; write --tab NAME=FILE for each file");
  if (given.tabs.size() > kMostTabs) throw UsageError(format("more than %zu tabs", kMostTabs));
  for (const std::string& text : given.tabs) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw UsageError(format("option '--tab': '%s' is no NAME=FILE", text.c_str()));
    const std::string name = text.substr(0, equals);
    for (const auto& [other, file] : settings.tabs)
      if (other == name)
        throw UsageError(format("option '--tab': the name '%s' is there twice", name.c_str()));
    settings.tabs.emplace_back(name, text.substr(equals + 1));
  }
}

}  // namespace

std::optional<SvgSettings> parse_settings(int argc, char** argv) {
  SvgSettings settings;
  Given given;
  Options options(Options::Style::perl, "[OPTION]... [FILE]... > OUT.svg",
                  "Draws folded stacks, `frame;frame;... COUNT`, as an interactive flame graph; "
                  "lines with two counts, from aiflame-diff, as a differential one. Options may be "
                  "shortened and begin with one dash or two.",
                  "Example: aiflame-svg --title 'Stalls of matmul' matmul.folded > matmul.svg");
  declare(options, settings, given);
  if (!options.parse(argc, argv)) return std::nullopt;
  take_sizes(given, settings);
  take_colours(given, settings);
  take_kinds(given, settings);
  check_choices(settings);
  take_tabs(given, settings);
  if (!settings.links.empty() && !settings.attributes.empty())
    throw UsageError("--annotate and --nameattr exclude each other");
  if (is_directory(settings.links)) {
    settings.listings = settings.links + "/listings";
    settings.links += "/links";
    // pages that were written before there were listings
    if (access(settings.listings.c_str(), F_OK) != 0) settings.listings.clear();
  }
  settings.drawing.links_listings = !settings.links.empty();
  return settings;
}

void add_to_subtitle(Drawing& drawing, const std::string& text) {
  drawing.subtitle += (drawing.subtitle.empty() ? "" : "; ") + text;
}

void choose_unit(SvgSettings& settings, const Quantity& quantity, bool adds_units, bool has_work) {
  Drawing& drawing = settings.drawing;
  if (!adds_units && quantity.is_known()) drawing.quantity = quantity;
  if (settings.names_count) return;
  if (adds_units) {
    drawing.count_name = "counts";
    add_to_subtitle(drawing, "counts of different units");
  } else if (quantity.is_known()) {
    drawing.unit = drawing.count_name = quantity.unit;
    if (const auto scale = unit_scale(quantity.unit); scale && !quantity.is_time())
      drawing.count_name = scale->noun;
    else if (has_work && quantity.unit == kStalls)
      drawing.count_name = "samples";
    add_to_subtitle(drawing, "width: " + width_text(quantity, drawing.count_name));
  }
}

void choose_look_of_change(SvgSettings& settings, const FlameTree& tree, const Quantity& quantity) {
  Drawing& drawing = settings.drawing;
  const bool differential = tree.differential();
  const bool shows = settings.vanished.empty()
                         ? quantity.is_known() && !settings.chart && !settings.classic
                         : settings.vanished == "show";
  drawing.shows_vanished = differential && shows;
  // sides of one sum, as aiflame-diff -n makes them, have shares
  drawing.absolute =
      quantity.is_memory() || tree.total_before(FlameTree::kRoot) != tree.total(FlameTree::kRoot);
  drawing.delta_total = settings.delta.empty() ? drawing.shows_vanished : settings.delta == "total";
  // The picture of other input is flamegraph.pl's; the page is free to show what vanished.
  const bool may_show = !settings.chart && !settings.classic && settings.vanished != "hide";
  drawing.opens_with_vanished = differential && (shows || may_show);
  drawing.opens_with_total =
      settings.delta.empty() ? drawing.opens_with_vanished : settings.delta == "total";
}

Palette choose_palette(SvgSettings& settings, bool ai) {
  Drawing& drawing = settings.drawing;
  if (settings.palette.empty()) settings.palette = ai ? "aiflame" : "hot";
  drawing.ai = ai && !settings.classic;
  drawing.classic = settings.classic;
  drawing.reversed = settings.reverse;
  drawing.given_background = !settings.background.empty();
  drawing.keeps_background = drawing.given_background || settings.classic;
  if (settings.background.empty())
    set_background(drawing.ai ? kFlatBackground : background_of_palette(settings.palette), drawing);
  drawing.legend = settings.palette == "aiflame";
  drawing.hatches_boundary = drawing.ai && settings.palette == "aiflame";
  drawing.title = settings.title;
  if (drawing.title.empty())
    drawing.title = std::string(ai ? "AI " : "") + (settings.chart     ? "Flame Chart"
                                                    : drawing.inverted ? "Icicle Graph"
                                                                       : "Flame Graph");
  Palette palette = *Palette::find(settings.palette, settings.shade);
  if (settings.classic) palette.make_classic();
  return palette;
}

}  // namespace aiflame::svg
