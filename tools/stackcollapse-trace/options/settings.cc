// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/options/settings.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame::trace {
namespace {

constexpr std::string_view kAbout =
    "Reads Chrome trace JSON, as PyTorch, vLLM, SGLang, JAX and unitrace write it, plain or "
    "compressed with gzip or zstd, and writes folded stacks: the time of each kernel, copy and "
    "memset on the stack that launched it.";
constexpr std::string_view kExample =
    "Example: stackcollapse-trace trace.json.gz | aiflame-svg > train.svg";

struct NamedKind {
  std::string_view name;
  Kind kind;
};
// in the order in which they nest
constexpr NamedKind kNames[] = {
    {"range", Kind::range},     {"python", Kind::python}, {"module", Kind::module},
    {"forward", Kind::forward}, {"operator", Kind::op},   {"runtime", Kind::runtime},
};

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    out.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

void choose_frames(const std::string& list, TraceSettings& settings) {
  std::vector<size_t> places;
  settings.ranks.fill(TraceSettings::kHidden);
  settings.ranks[static_cast<size_t>(Kind::plain)] = 0;
  for (const std::string& name : split_list(list)) {
    const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                    [&](const NamedKind& one) { return one.name == name; });
    if (known == std::end(kNames))
      throw UsageError(format("option '--frames': '%s' is not a kind of frames", name.c_str()));
    uint8_t& rank = settings.ranks[static_cast<size_t>(known->kind)];
    if (rank != TraceSettings::kHidden) continue;
    places.push_back(static_cast<size_t>(known - kNames));
    rank = static_cast<uint8_t>(places.size());
  }
  settings.regroups = !std::is_sorted(places.begin(), places.end());
}

}  // namespace

bool parse_trace_settings(int argc, char** argv, TraceSettings& settings) {
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...", std::string(kAbout),
                  std::string(kExample));
  std::string frames, categories;
  std::vector<std::string> by_time;
  options.text("frames", frames, "LIST",
               "the frames of the host to show: range, python, module, forward, operator, runtime; "
               "default: all, as they nest; in another order than this they are grouped by kind, "
               "in the order of the list");
  options.values("frames", "range python module forward operator runtime");
  options.flag(
      "merge-modules", settings.merge_modules,
      "modules without their numbers: all layers of a model are one, Linear_0 and Linear_1 "
      "are Linear");
  options.flag("shapes", settings.shapes, "operators with the shapes of their inputs");
  options.flag("streams", settings.streams, "root frame with the device and its stream");
  options.flag("rank", settings.rank,
               "root frame with the rank that the file names, else with the file's name");
  options.flag("by-step", settings.by_step,
               "root frame with the step: ProfilerStep#N of PyTorch, and those of vLLM and SGLang");
  options.list("root-range", settings.root_ranges, "GLOB",
               "ranges so named become root frames; *, ? and [...]");
  options.list("by-time", by_time, "MS",
               "root frame with the start of the interval, of MS milliseconds, in which the work "
               "began, counted from the first event of its file");
  options.flag("cpu", settings.cpu,
               "instead of the devices' time, the time that operators took on the CPU");
  options.flag("idle", settings.idle,
               "also the time in which a device had nothing to do, on the stack of the main thread "
               "meanwhile, under [gpu idle]");
  options.text("root-cat", settings.root_category, "CATEGORY",
               "events of this category that last at the time, on whichever thread, are root "
               "frames");
  options.text("stack-cats", categories, "LIST",
               "draw the events of these categories as they nest, each with the time that nothing "
               "on it took; the outer one of two first");
  add_import_options(options, settings.import);
  add_source_options(options, settings.import.names);
  if (!options.parse(argc, argv)) return false;
  if (!frames.empty()) choose_frames(frames, settings);
  for (const std::string& one : by_time) settings.by_time = TimeStep(one);
  if (!categories.empty()) settings.stack_categories = split_list(categories);
  if (!categories.empty() && (settings.cpu || settings.idle || settings.streams))
    throw UsageError("option '--stack-cats' is without devices: no '--cpu', '--idle', '--streams'");
  if (settings.cpu && (settings.idle || settings.streams))
    throw UsageError("option '--cpu' is without devices: no '--idle', no '--streams'");
  return true;
}

}  // namespace aiflame::trace
