// SPDX-License-Identifier: MIT
// stackcollapse-rocprof: folds what AMD's rocprofv3 has recorded, as rocpd, CSV or JSON.
//
//   rocprofv3 --hip-trace --kernel-trace --marker-trace --output-format csv -- ./app
//   stackcollapse-rocprof */*_trace.csv | aiflame-svg > app.svg
//
// Reads files such as
//   "Kind",…,"Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",…
//   "KERNEL_DISPATCH",…,1,10,"void add<float>(float*)",5,1550,1590,…
//   "Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
//   "HIP_RUNTIME_API_EXT","hipLaunchKernel",238,238,5,1500,1510
// and JSON, and rocpd, an SQLite file. Writes folded(5):
//   # aiflame: event gpu-time, unit ns
//   [device];hipLaunchKernel;-;add<float>_[G] 40
#include <algorithm>
#include <optional>

#include "libcommon/base/choices.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-rocprof/draw.h"

namespace aiflame::rocprof {
namespace {

constexpr const char* kSynopsis = "[OPTION]... [FILE]...";
constexpr const char* kAbout =
    "Reads rocpd, CSV and JSON of AMD's rocprofv3 and writes folded stacks: process, roctx ranges, "
    "call "
    "of HIP, '-', kernel, and of PC samples source line, instruction and stall reason. Files of "
    "one "
    "run are given together, and are joined.";
constexpr const char* kEpilogue =
    "Example:\n"
    "  rocprofv3 --hip-trace --kernel-trace --marker-trace --output-format csv -- ./app\n"
    "  stackcollapse-rocprof */*_trace.csv | aiflame-svg > app.svg\n";

Event parse_event(const std::string& name) {
  if (name.empty()) return Event::unset;
  if (name == "gpu-time") return Event::time;
  if (name == "gpu-stall") return Event::stall;
  if (name == "gpu-stall-exposed") return Event::exposed_stall;
  if (name == "gpu-clock") return Event::clock;
  throw UsageError("option '--event': '" + name +
                   "' is not gpu-time, gpu-stall, gpu-stall-exposed or gpu-clock");
}

constexpr std::string_view kFrames[] = {"range", "runtime", "line", "mnemonic", "reason", "offset"};

Settings::Frames parse_frames(std::string_view list) {
  Settings::Frames out{false, false, false, false, false, false};
  bool* const frames[] = {&out.range,    &out.runtime, &out.line,
                          &out.mnemonic, &out.reason,  &out.offset};
  for (const size_t chosen : parse_choices("frames", list, kFrames)) *frames[chosen] = true;
  return out;
}

std::optional<Settings> parse_settings(int argc, char** argv) {
  Options options(Options::Style::gnu, kSynopsis, kAbout, kEpilogue);
  Settings settings;
  std::string event, frames = "range,runtime,line,mnemonic,reason,offset";
  std::vector<std::string> by_range, by_time;
  options.text(
      "event", event, "NAME",
      "what to draw: gpu-time, gpu-stall, gpu-stall-exposed or gpu-clock; by default stalls, "
      "else PC samples, else time");
  options.values("event", "gpu-time gpu-stall gpu-stall-exposed gpu-clock");
  options.text("frames", frames, "LIST",
               "the frames to show besides process and kernel: range, runtime, line, mnemonic, "
               "reason, offset; default: all");
  options.values("frames", choice_names(kFrames));
  options.flag("rank", settings.rank,
               "root frame with the number of the process, in the order of the files");
  options.flag("streams", settings.streams, "root frame with the device, its queue and stream");
  options.flag("threads", settings.threads, "a frame for the thread that launched");
  options.list("by-range", by_range, "NAME", kByRangeHelp);
  options.list("by-time", by_time, "MS",
               "root frame with the start of the interval, of MS milliseconds, in which the work "
               "began or the sample was taken");
  options.flag("full-paths", settings.import.names.full_paths,
               "source files with their directories");
  add_timeline_options(options, settings.timeline);
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.event = parse_event(event);
  settings.timeline.check();
  if (settings.timeline.needs_timeline()) {
    if (settings.event == Event::unset) settings.event = Event::time;
    if (settings.event != Event::time)
      throw UsageError("option '--event': '--idle' and '--exposed' are of gpu-time");
  }
  settings.frames = parse_frames(frames);
  settings.import.by_range = RangeChoice(by_range);
  for (const std::string& one : by_time) settings.by_time = TimeStep(one);
  return settings;
}

int run(int argc, char** argv) {
  const std::optional<Settings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  RocprofTrace trace;
  size_t files_left = std::max<size_t>(settings->import.inputs.size(), 1);
  return import_stacks(settings->import, [&](const std::string& path, ImportedStacks& stacks) {
    read_file(path, *settings, trace);
    if (--files_left == 0) draw(trace, *settings, stacks);
  });
}

}  // namespace
}  // namespace aiflame::rocprof

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-rocprof", argc, argv, aiflame::rocprof::run);
}
