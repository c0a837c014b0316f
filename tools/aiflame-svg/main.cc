// SPDX-License-Identifier: MIT
// aiflame-svg: folded stacks as an interactive flame graph, one SVG that opens anywhere.
//
//   stackcollapse-aiflame matmul.gpustall | aiflame-svg > matmul.svg
//
// Reads folded(5), `frame;frame;… COUNT`:
//   matmul;main;run_basic;-;matmul.cl_[G];multiply_basic_[G];send.ugm_[g];sbid_[g];0x1430_[g] 57
//   matmul;main;run_basic;-;matmul.cl_[G];multiply_basic_[G];mad_[g];active_[g];0x1440_[g] 12
//   matmul;main;write 3
// Writes a rectangle for each frame, on top of its caller's and as wide as its count:
//   <g data-d="3" data-x="3" data-n="69"><title>run_basic (69 samples, 95.83%)</title>
//   <rect x="59.2" y="549" width="1130.8" height="15.0" fill="rgb(225,87,87)" rx="2" ry="2"/>
//   <text x="62.17" y="559.5">run_basic</text></g>
//
// A drop-in replacement for flamegraph.pl, with its options, colours and positions.
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "libcommon/text/url.h"
#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/colour/palette_map.h"
#include "tools/aiflame-svg/data/listings.h"
#include "tools/aiflame-svg/draw/frame_title.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/draw/name_attributes.h"
#include "tools/aiflame-svg/draw/svg.h"
#include "tools/aiflame-svg/read_stacks.h"
#include "tools/aiflame-svg/settings.h"
#include "tools/aiflame-svg/sums/reason_sums.h"

namespace aiflame::svg {
namespace {

Stacks read(SvgSettings& settings) {
  LexOptions options;
  options.merges = !settings.chart;
  options.reverse = settings.reverse;
  options.wakers = settings.palette == "chain";
  options.strict = settings.strict;
  options.mixed = settings.mixed;
  std::vector<std::string> inputs = settings.inputs;
  if (inputs.empty()) inputs.emplace_back("-");
  Stacks stacks = read_stacks(inputs, options);
  choose_look_of_change(settings, stacks.tree, stacks.quantity);
  if (settings.drawing.shows_vanished) stacks.tree.show_vanished();
  if (stacks.tree.room(FlameTree::kRoot) == 0) throw Error("no stacks with counts in the input");
  return stacks;
}

// Says in the picture, too, that it is not all of the input: who gets it sees no warning.
void tell_what_was_ignored(const Stacks& stacks, Drawing& drawing) {
  if (stacks.ignored == 0) return;
  add_to_subtitle(drawing, format_count_with_commas(stacks.ignored, 0) + " of " +
                               format_count_with_commas(stacks.lines, 0) +
                               " lines were not folded stacks");
}

// Text with a boundary to a device is of this family, and begins with a comment that says what its
// counts are. A grep(1) in the pipe leaves that out, and nanoseconds are drawn as samples.
void tell_that_the_unit_is_lost(const Stacks& stacks, const SvgSettings& settings) {
  if (stacks.quantity.is_known() || stacks.adds_units || settings.names_count ||
      !(settings.inputs.empty() || settings.inputs == std::vector<std::string>{"-"}))
    return;
  const auto& names = stacks.tree.names();
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] != "-") continue;
    warn(
        "<stdin>: no line '# aiflame: ...': the unit of the counts is not known; a grep keeps the "
        "line with -e '^# aiflame'");
    return;
  }
}

// Samples of which nobody knows the launch must not look like the others.
void tell_what_is_presumed(const FlameTree& tree, Drawing& drawing) {
  uint64_t presumed = 0;
  for (uint32_t node = 0; node < tree.size(); ++node)
    if (tree.name(node) == "[presumed]") presumed += tree.total(node);
  const uint64_t all = tree.total(FlameTree::kRoot);
  if (presumed == 0 || all == 0) return;
  const double percent = 100.0 * static_cast<double>(presumed) / static_cast<double>(all);
  add_to_subtitle(drawing, (percent < 1 ? "less than 1" : format("%.0f", percent)) +
                               " % of the samples are of unknown launches");
}

// Samples of work are among those of stalls, and so is waiting that costs nothing.
void tell_how_many_stall(const ReasonNames& reasons, Drawing& drawing) {
  if (drawing.unit != kStalls || !has_work(reasons) || drawing.reasons.all() == 0) return;
  const double percent = 100 * static_cast<double>(drawing.reasons.stalls()) /
                         static_cast<double>(drawing.reasons.all());
  add_to_subtitle(drawing, format("%.0f%% of them stalls", percent));
}

// Kernels that CUDA or HIP launched are spoken of in their words.
LaunchWords words_of_launches(const FlameTree& tree, const Palette& palette) {
  for (const auto& [name, reason] : palette.reasons())
    if (reason != nullptr && reason->vendor == std::string_view("NVIDIA")) return LaunchWords::cuda;
  for (uint32_t i = 0; i < tree.names().size(); ++i) {
    const std::string_view name = tree.names()[i];
    if ((name.starts_with("cu") || name.starts_with("hip")) &&
        name.find("Launch") != std::string_view::npos)
      return LaunchWords::cuda;
  }
  return LaunchWords::opencl;
}

bool has_ai_frames(const FlameTree& tree) {
  for (uint32_t i = 0; i < tree.names().size(); ++i)
    if (is_ai_frame(tree.names()[i])) return true;
  return false;
}

// --total in the unit of the tree's counts. A total below their sum cannot be drawn.
uint64_t total_of(const SvgSettings& settings, const Stacks& stacks) {
  Count total = settings.total;
  const uint64_t counted = stacks.tree.total(FlameTree::kRoot);
  if (total.value == 0) return counted;
  if (total.decimals < stacks.decimals && !widen(total, stacks.decimals))
    throw Error("the total is too large");
  for (; total.decimals > stacks.decimals; --total.decimals) total.value /= 10;
  if (total.value >= counted) return total.value;
  warn("--total is less than the counts' sum of %s, and ignored",
       format_count(counted, stacks.decimals).c_str());
  return counted;
}

// Adds the names that are drawn and that `colours` lacks. A differential has no colours by name.
void add_colours(const FlameTree& tree, const Palette& palette, const Drawing& drawing,
                 PaletteMap& colours) {
  if (tree.differential()) return;
  for (const Frame& frame : drawn_frames(tree, drawing)) {
    const std::string_view name = tree.name(frame.node);
    if (layer_of(name) != Layer::boundary) colours.emplace(name, palette.colour(name));
  }
}

// Where the pages of --annotate are, as a URL that ends in '/'.
std::string pages_folder(const SvgSettings& settings) {
  return url_of_path(settings.links.substr(0, settings.links.rfind('/') + 1));
}

std::vector<std::string> files_read(const SvgSettings& settings) {
  std::vector<std::string> out = settings.inputs;
  for (const auto& [name, file] : settings.tabs) out.push_back(file);
  out.push_back(settings.attributes);
  out.push_back(settings.links);
  out.push_back(settings.listings);
  if (settings.keep_colours) out.emplace_back(kPaletteMap);
  return out;
}

// A profile and how it is drawn: a copy of the settings, which its input completes.
struct Profile {
  SvgSettings settings;
  Stacks stacks;
  Palette palette;

  Picture picture() const { return {stacks.tree, palette, settings.drawing}; }
};

// Throws Error where the input is none.
Stacks read_profile(SvgSettings& settings, const NameAttributes* attributes) {
  Drawing& drawing = settings.drawing;
  drawing.attributes = attributes;
  Stacks stacks = read(settings);
  if (!settings.listings.empty())
    drawing.listings = listings_element(settings.listings, pages_folder(settings), stacks.tree);
  drawing.total = total_of(settings, stacks);
  return stacks;
}

// Chooses what depends on the input.
Profile complete(SvgSettings settings, Stacks stacks) {
  Drawing& drawing = settings.drawing;
  Palette palette =
      choose_palette(settings, has_ai_frames(stacks.tree) || stacks.quantity.is_memory());
  palette.set_reasons(find_reason_names(stacks.tree, settings.reverse));
  drawing.decimals = stacks.decimals;
  choose_unit(settings, stacks.quantity, stacks.adds_units, has_work(palette.reasons()));
  if (!stacks.tree.differential()) drawing.reasons = sum_reasons(stacks.tree, palette.reasons());
  tell_how_many_stall(palette.reasons(), drawing);
  tell_that_the_unit_is_lost(stacks, settings);
  if (stacks.tree.differential() && !drawing.unit.empty())
    add_to_subtitle(drawing, totals_text(stacks.tree, drawing));
  for (const std::string& note : stacks.notes.all()) add_to_subtitle(drawing, note);
  tell_what_was_ignored(stacks, drawing);
  tell_what_is_presumed(stacks.tree, drawing);
  drawing.changes = ChangeMarks(stacks.tree, stacks.decimals, stacks.changes);
  drawing.launches = launch_texts(stacks.launches, words_of_launches(stacks.tree, palette));
  drawing.launch_lines = launch_lines(stacks.launches);
  return {std::move(settings), std::move(stacks), std::move(palette)};
}

// The settings of each profile of the page. The picture without a script is the first one's, and
// says that there are others.
std::vector<SvgSettings> settings_of_tabs(const SvgSettings& settings) {
  if (settings.tabs.empty()) return {settings};
  std::vector<SvgSettings> out;
  for (const auto& [name, file] : settings.tabs) {
    SvgSettings& one = out.emplace_back(settings);
    one.inputs = {file};
    if (settings.tabs.size() == 1) continue;
    one.drawing.tab = name;
    add_to_subtitle(one.drawing,
                    name + format(" (%zu of %zu profiles)", out.size(), settings.tabs.size()));
  }
  return out;
}

int run(int argc, char** argv) {
  const std::optional<SvgSettings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  Output out;
  std::optional<Output> palette_map;
  // opened before the right to write files is given up
  if (settings->keep_colours)
    palette_map.emplace(kPaletteMap, Output::Existing::kept_until_written);
  if (!settings->no_sandbox) drop_rights({.files = files_read(*settings)});
  std::optional<NameAttributes> attributes;
  outlive_interrupt();
  std::vector<SvgSettings> tabs = settings_of_tabs(*settings);
  std::vector<Stacks> stacks;
  try {
    if (!settings->attributes.empty()) attributes.emplace(settings->attributes);
    if (!settings->links.empty()) attributes.emplace(settings->links, pages_folder(*settings));
    for (SvgSettings& tab : tabs)
      stacks.push_back(read_profile(tab, attributes ? &*attributes : nullptr));
  } catch (const Error& error) {
    if (settings->strict) throw;
    // a program that expects a picture gets one that shows the message
    out.write(error_svg(error.what(), settings->drawing));
    out.close();
    throw;
  }
  std::vector<Profile> profiles;
  for (size_t i = 0; i < tabs.size(); ++i)
    profiles.push_back(complete(std::move(tabs[i]), std::move(stacks[i])));
  PaletteMap colours;
  if (settings->keep_colours) colours = read_palette_map(kPaletteMap);
  std::vector<Picture> pictures;
  for (Profile& each : profiles) {
    for (const auto& [name, colour] : colours) each.palette.set(name, colour);
    pictures.push_back(each.picture());
  }
  write_pictures(pictures, [&](std::string_view text) { out.write(text); });
  out.close();
  if (settings->keep_colours) {
    for (const Picture& each : pictures)
      add_colours(each.tree, each.palette, each.drawing, colours);
    write_palette_map(*palette_map, colours);
  }
  return 0;
}

}  // namespace
}  // namespace aiflame::svg

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-svg", argc, argv, aiflame::svg::run);
}
