// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/arguments.h"

#include <cstdint>
#include <filesystem>
#include <optional>

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "tools/gpustall-record/source/plugin_directory.h"

namespace aiflame::record {
namespace {

constexpr uint64_t kNotGiven = UINT64_MAX;

// With blanks between them; "" when they cannot be read.
std::string installed_sources() {
  std::string names;
  try {
    for (const std::string& name : source_names(default_plugin_directory())) names += name + " ";
  } catch (const Error&) {
    // nothing is offered then
  }
  return names;
}

LaunchStacks parse_launch_stacks(const std::string& text) {
  if (text.empty()) return LaunchStacks::automatic;
  if (text == "agent") return LaunchStacks::agent;
  if (text == "uprobe") return LaunchStacks::uprobe;
  if (text == "off") return LaunchStacks::off;
  throw UsageError("option '--launch-stacks': not agent, uprobe or off");
}

LaunchTimes parse_launch_times(const std::string& text) {
  for (const LaunchTimes one : {LaunchTimes::cupti, LaunchTimes::events, LaunchTimes::off})
    if (text.empty() || text == name_of(one)) return one;
  throw UsageError("option '--launch-times': not cupti, events or off");
}

void take_rates(std::optional<uint64_t> frequency, std::optional<uint64_t> period,
                CaptureOptions& options) {
  if (frequency && period) throw UsageError("-F and --period exclude each other");
  // 0 is the source's default there
  if (frequency == uint64_t{0}) throw UsageError("option '--frequency': must be at least 1");
  if (period == uint64_t{0}) throw UsageError("option '--period': must be at least 1");
  options.frequency = frequency.value_or(0);
  options.period = period.value_or(0);
}

void check_rates(const CaptureOptions& options) {
  if (options.frequency > 1000000) throw UsageError("option '--frequency': more than 1000000");
  if (options.interval_ms < 1 || options.interval_ms > 60000)
    throw UsageError("option '--interval': not from 1 to 60000");
  if (options.pid > INT32_MAX) throw UsageError("option '--pid': no such process");
}

void check_sampling(const std::string& sampling, uint64_t duty) {
  if (!sampling.empty() && sampling != "continuous" && sampling != "exact" && sampling != "off")
    throw UsageError("option '--sampling': not continuous, exact or off");
  if (duty != kNotGiven && (duty < 1 || duty > 100))
    throw UsageError("option '--duty': not from 1 to 100");
}

// Without CUPTI there is nothing that CUPTI alone tells.
void check_launch_times(const Arguments& a) {
  const CaptureOptions& options = a.capture;
  if (options.launch_times == LaunchTimes::cupti) return;
  const std::string option = format("--launch-times=%s", name_of(options.launch_times));
  const bool starts_agents = !options.command.empty() || a.print_environment;
  if (!starts_agents ||
      (options.stacks != LaunchStacks::automatic && options.stacks != LaunchStacks::agent))
    throw UsageError(option + " is for the agent of a command, or for --print-env");
  if (a.source == "cupti" || options.duty != 0 ||
      (!options.sampling.empty() && options.sampling != "off"))
    throw UsageError(option + " takes no samples: not with --source cupti, --sampling or --duty");
  if (options.memory || !options.graph_dot.empty())
    throw UsageError(option + " tells launches alone: not with --memory or --graph-dot");
}

// Agents add two numbers to the path. It is absolute, as programs may have other directories.
std::string parse_graph_file(const std::string& text) {
  constexpr size_t kMostBytes = 3900;
  if (text.empty()) throw UsageError("option '--graph-dot': a file is missing");
  std::string path = std::filesystem::absolute(text).string();
  if (path.size() > kMostBytes) throw UsageError("option '--graph-dot': the path is too long");
  return path;
}

// There must be exactly one thing to record, or none with --list and --source replay.
void check_target(const Arguments& a) {
  const CaptureOptions& options = a.capture;
  if (a.print_environment && options.listen.empty())
    throw UsageError("--print-env needs --listen DIR");
  const int targets = (options.command.empty() ? 0 : 1) + options.all +
                      (options.pid != 0 || !options.listen.empty() ? 1 : 0);
  if (a.list || a.source == "replay") {
    if (targets > 0) throw UsageError("nothing can be recorded with --list or --source replay");
    if (options.buildid_cache)
      throw UsageError("--buildid-cache is not for --list and --source replay");
    if (a.source == "replay" && a.input.empty() && !a.list)
      throw UsageError("--source replay needs --input FILE");
    if (options.redact) throw UsageError("--redact is not for --list and --source replay");
  } else if (targets != 1) {
    throw UsageError(targets == 0 ? "no command, -p, -a or --listen"
                                  : "a command, -p or --listen, and -a exclude each other");
  } else if (!a.input.empty()) {
    throw UsageError("--input is for --source replay");
  } else if (options.buildid_cache && options.redact) {
    throw UsageError("--redact and --buildid-cache exclude each other");
  }
  if (options.stacks == LaunchStacks::agent && options.all)
    throw UsageError("--launch-stacks=agent is not for -a");
  if (options.memory && (options.all || options.stacks == LaunchStacks::uprobe ||
                         options.stacks == LaunchStacks::off))
    throw UsageError("--memory is for agents: not with -a, --launch-stacks=uprobe or off");
  if (options.memory && (a.list || a.source == "replay"))
    throw UsageError("--memory is not for --list and --source replay");
  if (!options.listen.empty() && options.stacks != LaunchStacks::automatic &&
      options.stacks != LaunchStacks::agent)
    throw UsageError("--listen is for agents: not with --launch-stacks=uprobe or off");
  const bool starts_agents = !options.command.empty() || a.print_environment;
  if (!options.graph_dot.empty() && (!starts_agents || (options.stacks != LaunchStacks::automatic &&
                                                        options.stacks != LaunchStacks::agent)))
    throw UsageError("--graph-dot is for the agent of a command, or for --print-env");
}

}  // namespace

bool parse_arguments(int argc, char** argv, Arguments& a) {
  uint64_t duty = kNotGiven, device = kNotGiven;
  std::optional<uint64_t> frequency, period;
  std::string launch_stacks, launch_times;
  std::vector<std::string> number_ranges, graph_dot;
  FlightArguments flight;
  Options options(
      Options::Style::gnu, "[OPTION]... [--] COMMAND [ARGUMENT]...",
      "Records which instructions of an accelerator's kernels cost time, why, and which CPU code "
      "launched them. Writes gpustall(5) text to standard output, for stackcollapse-aiflame; the "
      "command's own standard output goes to standard error then.",
      "Example:\n  gpustall-record -- ./app | stackcollapse-aiflame | aiflame-svg > app.svg");
  options.text("output,o", a.output, "FILE", "write to FILE instead of standard output");
  options.number("pid,p", a.capture.pid, "PID", "record a running process instead of a command");
  options.flag("all,a", a.capture.all, "record the whole system instead of a command");
  options.text("listen", a.capture.listen, "DIR",
               "record programs that others start, with the variables of --print-env; with -p only "
               "that process");
  options.flag("print-env", a.print_environment,
               "print the variables for programs that --listen shall record, and exit");
  options.text("source", a.source, "NAME",
               "where samples come from (default: the first of --list that has a device)");
  options.number("device", device, "N", "record device N of the source only");
  options.number("frequency,F", frequency, "HZ", "samples a second and processor");
  options.number("period", period, "N", "one sample each N of the device's unit");
  options.number("interval", a.capture.interval_ms, "MS", "length of a time slice (default 10)");
  options.text(
      "sampling", a.capture.sampling, "HOW",
      "of sources in the command's process: continuous (kernels run as ever; the default) or "
      "exact (one kernel at a time, so that each sample's launch is known); of all: off (launches "
      "and their device time alone)");
  options.number("duty", duty, "PERCENT",
                 "of those: part of the time to sample in (default 100, or 10 with exact)");
  options.flag("ranges", a.capture.ranges,
               "show the ranges of NVTX, ITT and roctx that are open at a launch as frames");
  options.list(
      "number-ranges", number_ranges, "NAME",
      "the same, and the instances of the range so named get numbers (*, ? and [...]), for "
      "stackcollapse-aiflame --by-range");
  options.list("graph-dot", graph_dot, "FILE",
               "write each CUDA graph that the command instantiates to FILE.PID.N, for Graphviz");
  options.real("duration", a.capture.duration_s, "SECONDS",
               "stop recording after SECONDS; the command runs on");
  flight.declare(options);
  options.text(
      "launch-stacks", launch_stacks, "HOW",
      "where CPU stacks at launches come from: agent (in the recorded process; the default "
      "where it has one), uprobe (needs root; the default with -p and -a otherwise), off");
  options.text(
      "launch-times", launch_times, "HOW",
      "of CUDA, the device time of launches: cupti (the default), events (an estimate) or "
      "off (none); both leave CUPTI to the program, so that torch.profiler works, and take "
      "no samples");
  options.flag("redact", a.capture.redact,
               "record no command line, and of paths the name of the file alone");
  options.text("objects", a.capture.objects_directory, "DIR",
               "keep the kernels' code objects in DIR (default ~/.cache/aiflame/objects)");
  options.flag("buildid-cache", a.capture.buildid_cache,
               "keep the CPU objects of the launches' stacks in perf's cache (~/.debug)");
  options.flag("memory", a.capture.memory,
               "record the allocations and frees of device memory, with their stacks");
  options.flag(
      "energy", a.capture.energy,
      "record energy counters: the kernel's (RAPL, hwmon) and those of vendors' libraries");
  // tests bring counters of their own
  options.text("energy-from", a.capture.energy_directory, "DIR", "where they are");
  options.hidden();
  options.text("input", a.input, "FILE", "the recording that --source replay writes again");
  options.text("plugin-dir", a.capture.plugin_directory, "DIR", "load plugins from DIR");
  options.flag("no-sandbox", a.capture.no_sandbox,
               "read the symbols of recorded programs with all rights");
  options.flag("list", a.list, "show the sources with their devices, or why they have none");
  options.values("source", installed_sources);
  options.values("sampling", "off continuous exact");
  options.values("launch-stacks", "agent uprobe off");
  options.values("launch-times", "cupti events off");
  options.command(a.capture.command);
  if (!options.parse(argc, argv)) return false;

  take_rates(frequency, period, a.capture);
  check_rates(a.capture);
  if (!number_ranges.empty()) {
    a.capture.ranges = true;
    a.capture.number_ranges = number_ranges.back();
    if (a.capture.number_ranges.empty())
      throw UsageError("option '--number-ranges': a name is missing");
  }
  a.capture.stacks = parse_launch_stacks(launch_stacks);
  a.capture.launch_times = parse_launch_times(launch_times);
  check_sampling(a.capture.sampling, duty);
  if (duty != kNotGiven) a.capture.duty = duty;
  if (!graph_dot.empty()) a.capture.graph_dot = parse_graph_file(graph_dot.back());
  check_target(a);
  check_launch_times(a);
  a.flight = flight.parse(a.output);
  if (a.capture.energy && a.flight.is_on())  // a reading belongs to no part
    throw UsageError("--energy is not for recordings in parts, with a control or a delay");
  if (a.capture.plugin_directory.empty()) a.capture.plugin_directory = default_plugin_directory();
  a.capture.device = device == kNotGiven ? -1 : static_cast<int32_t>(device);
  return true;
}

}  // namespace aiflame::record
