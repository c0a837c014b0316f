// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/options/settings.h"

#include <algorithm>

#include "libcommon/base/choices.h"
#include "libcommon/base/program.h"
#include "libcommon/import/compiled_code.h"
#include "tools/stackcollapse-trace/options/capture_files.h"

namespace aiflame::trace {
namespace {

constexpr std::string_view kAbout =
    "Reads Chrome trace JSON, as PyTorch, vLLM, SGLang, JAX and unitrace write it, plain or "
    "compressed with gzip or zstd, and writes folded stacks: the time of each kernel, copy and "
    "memset on the stack that launched it.";
constexpr std::string_view kExample =
    "Example: stackcollapse-trace trace.json.gz | aiflame-svg > train.svg";

// in the order in which they nest
constexpr std::string_view kFrames[] = {"range",   "python",   "module",
                                        "forward", "operator", "runtime"};
constexpr Kind kKindsOfFrames[] = {Kind::range,   Kind::python, Kind::module,
                                   Kind::forward, Kind::op,     Kind::runtime};

void choose_frames(const std::string& list, TraceSettings& settings) {
  const std::vector<size_t> chosen = parse_choices("frames", list, kFrames);
  settings.ranks.fill(TraceSettings::kHidden);
  settings.ranks[static_cast<size_t>(Kind::plain)] = 0;
  uint8_t rank = 0;
  for (const size_t frame : chosen)
    settings.ranks[static_cast<size_t>(kKindsOfFrames[frame])] = ++rank;
  settings.regroups = !std::is_sorted(chosen.begin(), chosen.end());
}

}  // namespace

bool parse_trace_settings(int argc, char** argv, TraceSettings& settings) {
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...", std::string(kAbout),
                  std::string(kExample));
  std::string frames, categories;
  std::vector<std::string> by_range, by_time, graph_names;
  options.text("frames", frames, "LIST",
               "the frames of the host to show: range, python, module, forward, operator, runtime; "
               "default: all, as they nest; in another order than this they are grouped by kind, "
               "in the order of the list");
  options.values("frames", choice_names(kFrames));
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
  options.list("by-range", by_range, "NAME", kByRangeHelp);
  options.list("by-time", by_time, "MS",
               "root frame with the start of the interval, of MS milliseconds, in which the work "
               "began, counted from the first event of its file");
  options.flag("cpu", settings.cpu,
               "instead of the devices' time, the time that operators took on the CPU");
  add_timeline_options(options, settings.timeline);
  options.list(
      "graph-names", graph_names, "FILE",
      "the trace of a capture of CUDA or HIP graphs, as vLLM, SGLang and PyTorch write them, or "
      "PyTorch's names of their nodes, or a directory of them: kernels of replays stand on what "
      "was captured");
  options.list("inductor", settings.inductor, "FILE",
               "the log of PyTorch's compiler (TORCH_TRACE), or a directory of logs or of the "
               "compiler's files: kernels of compiled code stand on the model's lines");
  options.flag("compiler-frames", settings.compiler_frames,
               "also the frames of torch.compile between the model and its compiled code");
  options.text("root-cat", settings.root_category, "CATEGORY",
               "events of this category that last at the time, on whichever thread, are root "
               "frames");
  options.text("stack-cats", categories, "LIST",
               "draw the events of these categories as they nest, each with the time that nothing "
               "on it took; the outer one of two first");
  options.flag("strict", settings.strict, "refuse a file that is not JSON, instead of mending it");
  add_source_options(options, settings.import.names);
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return false;
  if (!frames.empty()) choose_frames(frames, settings);
  settings.import.by_range = RangeChoice(by_range);
  for (const std::string& one : by_time) settings.by_time = TimeStep(one);
  settings.graph_names = capture_files(graph_names);
  settings.inductor = compiled_code_files(settings.inductor);
  if (!categories.empty()) settings.stack_categories = comma_list(categories);
  if (!categories.empty() && settings.import.by_range.is_set())
    throw UsageError("option '--stack-cats' has no '--by-range'");
  const bool wants_devices = settings.timeline.needs_timeline() || settings.streams;
  if (!categories.empty() && (settings.cpu || wants_devices))
    throw UsageError(
        "option '--stack-cats' is without devices: no '--cpu', '--idle', '--exposed', '--streams'");
  if (settings.cpu && wants_devices)
    throw UsageError(
        "option '--cpu' is without devices: no '--idle', no '--exposed', no '--streams'");
  settings.timeline.check();
  return true;
}

}  // namespace aiflame::trace
