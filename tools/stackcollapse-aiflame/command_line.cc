// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/command_line.h"

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/import/compiled_code.h"
#include "libcommon/process/sandbox.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {

namespace {

// Which event --idle and --exposed draw.
void check_times(Settings& settings) {
  const TimelineSettings& times = settings.times;
  if (times.exposed && settings.cpu) throw UsageError("--exposed and --cpu exclude each other");
  if (times.idle && settings.event.empty()) settings.event = kDeviceEvents[kTime];
  if (times.idle && settings.event != kDeviceEvents[kTime])
    throw UsageError("option '--idle' draws gpu-time, not '" + settings.event + "'");
  if (times.exposed && !settings.event.empty() && settings.event != kDeviceEvents[kStall] &&
      settings.event != kDeviceEvents[kTime])
    throw UsageError("option '--exposed' draws gpu-stall or gpu-time, not '" + settings.event +
                     "'");
}

// --at, --allocated and --count draw the memory.
void check_memory(Settings& settings, const std::vector<std::string>& at) {
  const MemorySettings& memory = settings.memory;
  const char* option = memory.count ? "count" : (memory.allocated ? "allocated" : "at");
  if (at.empty() && !memory.allocated && !memory.count) return;
  if (!at.empty() && memory.allocated) throw UsageError("--at and --allocated exclude each other");
  if (settings.event.empty()) settings.event = kDeviceEvents[kMemory];
  if (!is_memory_event(settings.event))
    throw UsageError(
        format("option '--%s' draws gpu-memory, not '%s'", option, settings.event.c_str()));
  if (!at.empty()) settings.memory.at = parse_memory_moment(at.back(), false);
}

}  // namespace

bool parse_command_line(int argc, char** argv, CommandLine& out) {
  Options options(
      Options::Style::perl, "[options] [FILE...]",
      "Folds gpustall(5) recordings, perf.data and 'perf script' text into one line per "
      "stack, from the root down to the device instruction, and a count. '-' and no FILE are "
      "standard input.",
      "Example:\n  gpustall-record ./app | stackcollapse-aiflame | aiflame-svg > "
      "app.svg");
  Settings& settings = out.settings;
  std::string levels = "file,kernel,function,mnemonic,reason,offset";
  std::string graph_frames = "capture,replay";
  std::vector<std::string> roots, by_range, by_time, at;
  bool all = false;
  std::string event_filter;
  options.text("event", settings.event, "NAME",
               "draw this event alone: gpu-stall, gpu-clock, gpu-time (nanoseconds of the "
               "launches), gpu-wait (nanoseconds in calls that wait), gpu-memory (bytes that were "
               "allocated), gpu-launch (launches), gpu-stall-exposed or a CPU "
               "event, whose modifiers (:u) may be left out; "
               "of a list or a pattern the first that fits; default: the first of the devices' "
               "that the input has, "
               "else its first event");
  options.text("event-filter", event_filter, "NAME",
               "the same, as stackcollapse-perf.pl has it: no samples of it are a warning");
  options.flag("cpu", settings.cpu, "draw CPU samples too, both as time: roots [cpu] and [device]");
  options.flag(
      "idle", settings.times.idle,
      "draw gpu-time, and the time in which a device did nothing, under [gpu idle] and its "
      "cause; each moment of a device counts once");
  options.flag("outside", settings.times.outside,
               "with --idle: also the time before a device's first work and after its last");
  options.flag("exposed", settings.times.exposed,
               "draw the stalls of gpu-stall under the roots [exposed], where nothing else was "
               "issued meanwhile, and [hidden]; for recordings that tell; of gpu-time, copies and "
               "communication where no computation covered them");
  options.list("at", at, "MOMENT",
               "draw gpu-memory, when: peak, of each device at its own (default); end; or seconds "
               "from the recording's first slice");
  options.flag("allocated", settings.memory.allocated,
               "draw all allocations of gpu-memory, whenever they were freed");
  options.flag("count", settings.memory.count, "draw the blocks of gpu-memory, not their bytes");
  options.text(
      "gpu-frames", levels, "LIST",
      "device levels and their order, of file, kernel, function, loop, line, mnemonic, "
      "reason, producer (the instruction that a stall waits for), offset; default: all of them "
      "but loop, line and producer");
  options.text("graph-frames", graph_frames, "LIST",
               "of a kernel in a CUDA graph or a command list, draw the stack of its capture, of "
               "the replay, or both; default: capture,replay");
  options.flag("full-paths", settings.device.full_paths,
               "source files of devices and Python with directories");
  options.flag("full-names", settings.device.full_names,
               "device functions with parameters and all template arguments");
  FilterOptions& filter = settings.filter;
  options.flag("hide-interpreter", settings.hide_interpreter,
               "leave out CPython's own functions where the Python functions are there");
  options.list("inductor", out.inductor, "FILE",
               "the log of PyTorch's compiler (TORCH_TRACE), or a directory of logs or of the "
               "compiler's files: kernels of compiled code stand on the model's lines");
  options.flag("compiler-frames", settings.compiler_frames,
               "also the frames of torch.compile between the model and its compiled code");
  options.list("pids", filter.pids, "LIST", "only samples of these processes, by id");
  options.list("tids", filter.tids, "LIST", "only samples of these threads, by id");
  options.list("comms", filter.comms, "LIST", "only samples of threads so named; *, ? and [...]");
  options.list("devices", filter.devices, "LIST",
               "only device samples of these devices, by number or name; *, ? and [...]");
  options.list("kernels", filter.kernels, "LIST",
               "only device samples of these kernels; *, ? and [...]");
  options.list("time", filter.time, "START,END",
               "only samples of this time, in seconds, either end may be missing; of a perf.data "
               "file also parts of the whole: 10%/2 (the second tenth), 10%-20%");
  options.list("by-range", by_range, "NAME", kByRangeHelp);
  options.list("by-time", by_time, "MS",
               "root frame with the start of the sample's interval, of MS milliseconds");
  options.list("root", roots, "LIST",
               "root frames, of host, rank, job, container, pod, and their order");
  options.text("launch-event", settings.launch_events, "LIST",
               "CPU events that are kernel launches: names, *, ? and [...]; default: those of "
               "scripts/launch-probes.sh and perf probe's on Level Zero, CUDA, HIP and OpenCL");
  options.flag(
      "strict", settings.strict,
      "fail at the first malformed line of text, and where a recording is cut short or has other "
      "sums than its end says");
  options.text("stats", out.stats, "FILE", "write the statistics as JSON to FILE");
  options.flag("pid", settings.frames.pid, "root frame with the process id: comm-PID");
  options.flag("tid", settings.frames.tid, "root frame with both ids: comm-PID/TID");
  options.flag("kernel", settings.frames.kernel, "mark kernel functions _[k]");
  options.flag("jit", settings.frames.jit, "mark functions compiled at run time _[j]");
  options.flag("all", all, "all annotations: --kernel --jit");
  options.flag("addrs", settings.frames.addresses, "addresses where there is no symbol");
  options.flag("inline", settings.sources.inlined, "add inlined functions, marked _[i]");
  options.flag("context", settings.sources.context, "with --inline: add file:line to the frames");
  options.flag(
      "srcline", settings.sources.lines,
      "add file:line to the frames, and the line to Python functions; text is that of 'perf "
      "script -F +srcline'");
  options.flag("no-sandbox", out.no_sandbox, kNoSandboxHelp);
  // --pi is --pid, as in stackcollapse-perf.pl, not --pids
  for (const char* ours : {"event",          "cpu",          "exposed",
                           "gpu-frames",     "full-paths",   "full-names",
                           "pids",           "tids",         "comms",
                           "devices",        "kernels",      "time",
                           "by-time",        "root",         "strict",
                           "stats",          "launch-event", "hide-interpreter",
                           "graph-frames",   "no-sandbox",   "inductor",
                           "compiler-frames"})
    options.extension(ours);
  for (const char* ours : {"idle", "outside", "by-range", "at", "allocated", "count"})
    options.extension(ours);
  for (const char* event : {"event", "event-filter"})
    options.values(event,
                   "gpu-stall gpu-stall-exposed gpu-clock gpu-time gpu-wait gpu-memory gpu-launch");
  options.values("at", "peak end");
  options.values("gpu-frames", level_names());
  options.values("graph-frames", "capture replay");
  options.values("root", root_level_names());
  options.operands(out.inputs);
  if (!options.parse(argc, argv)) return false;
  if (settings.event.empty() && !event_filter.empty()) {
    settings.event = event_filter;
    settings.event_may_be_missing = true;
  }
  settings.times.check();
  check_times(settings);
  check_memory(settings, at);
  if (settings.cpu && is_memory_event(settings.event))
    throw UsageError("option '--cpu' draws time, and gpu-memory is none");
  if (settings.cpu && is_launch_event(settings.event))
    throw UsageError("option '--cpu' draws time, and gpu-launch is none");
  if (all) settings.frames.kernel = settings.frames.jit = true;
  settings.frames.full_paths = settings.device.full_paths;
  settings.frames.lines = settings.sources.lines;
  settings.device.levels = parse_levels(levels);
  settings.graph_frames = parse_graph_frames(graph_frames);
  if (!roots.empty()) settings.roots = parse_root_levels(roots.back());
  [[maybe_unused]] const SampleFilter checked(filter);  // a mistake in it is a usage error
  settings.by_range = RangeChoice(by_range);
  if (settings.by_range.is_set() && settings.cpu)
    throw UsageError("--by-range and --cpu exclude each other: CPU samples have no ranges");
  if (!by_time.empty()) settings.by_time = TimeStep(by_time.back());
  out.inductor = compiled_code_files(out.inductor);
  if (out.stats == "-") throw UsageError("option '--stats': standard output has the stacks");
  if (out.inputs.empty()) out.inputs.emplace_back("-");
  return true;
}

}  // namespace aiflame::collapse
