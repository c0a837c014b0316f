// SPDX-License-Identifier: MIT
// stackcollapse-nsys: folds recordings of NVIDIA Nsight Systems, as SQLite exports.
//
//   nsys export --type sqlite -o train.sqlite train.nsys-rep
//   stackcollapse-nsys train.sqlite | aiflame-svg > train.svg
//
// Reads tables of the export:
//   CUPTI_ACTIVITY_KIND_KERNEL    start 1150 end 1190 correlationId 305 demangledName 17 …
//   CUPTI_ACTIVITY_KIND_RUNTIME   start 1120 end 1126 correlationId 305 globalTid … nameId 18
//   NVTX_EVENTS                   start 1100 end 1200 text "aten::mm, op_id = 7" globalTid …
// Writes folded(5):
//   # aiflame: event gpu-time, unit ns
//   python3;aten::mm_[o];cudaLaunchKernel;-;gemm<float>_[G] 40
#include <optional>

#include "libcommon/base/choices.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/read_export.h"

namespace aiflame::nsys {
namespace {

constexpr const char* kSynopsis = "[OPTION]... FILE...";
constexpr const char* kAbout =
    "Reads SQLite exports of Nsight Systems and writes folded stacks: process, NVTX ranges, call "
    "chain, call of the CUDA API, '-', kernel. Counts are nanoseconds of the device.";
constexpr const char* kEpilogue =
    "Example:\n"
    "  nsys export --type sqlite -o train.sqlite train.nsys-rep\n"
    "  stackcollapse-nsys train.sqlite | aiflame-svg > train.svg\n";

constexpr std::string_view kFrames[] = {"operator", "range", "call", "runtime"};

Settings::Frames parse_frames(std::string_view list) {
  Settings::Frames out{.operators = false, .ranges = false, .calls = false, .runtime = false};
  bool* const frames[] = {&out.operators, &out.ranges, &out.calls, &out.runtime};
  for (const size_t chosen : parse_choices("frames", list, kFrames)) *frames[chosen] = true;
  return out;
}

std::optional<Settings> parse_settings(int argc, char** argv) {
  Options options(Options::Style::gnu, kSynopsis, kAbout, kEpilogue);
  Settings settings;
  std::string frames = "operator,range,call,runtime";
  std::vector<std::string> by_range, by_time;
  options.flag("cpu", settings.cpu, "draw the CPU samples, not the device's time");
  options.text("frames", frames, "LIST",
               "the CPU frames to show: operator, range, call, runtime; default: all");
  options.values("frames", choice_names(kFrames));
  options.flag("rank", settings.rank,
               "root frame with the number of the process, of those that used a device");
  options.flag("streams", settings.streams, "root frame with the device and its stream");
  options.list("by-range", by_range, "NAME", kByRangeHelp);
  options.list("by-time", by_time, "MS",
               "root frame with the start of the interval, of MS milliseconds, in which the work "
               "began");
  add_timeline_options(options, settings.timeline);
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.frames = parse_frames(frames);
  settings.import.by_range = RangeChoice(by_range);
  for (const std::string& one : by_time) settings.by_time = TimeStep(one);
  if (settings.cpu && settings.streams) throw UsageError("option '--cpu' has no '--streams'");
  if (settings.cpu && settings.timeline.needs_timeline())
    throw UsageError("option '--cpu' has no '--idle' and no '--exposed'");
  settings.timeline.check();
  return settings;
}

int run(int argc, char** argv) {
  const std::optional<Settings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  uint64_t next_rank = 0;
  return import_stacks(settings->import, [&](const std::string& path, ImportedStacks& stacks) {
    read_export(path, *settings, stacks, next_rank);
  });
}

}  // namespace
}  // namespace aiflame::nsys

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-nsys", argc, argv, aiflame::nsys::run);
}
