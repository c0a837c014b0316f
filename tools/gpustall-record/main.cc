// SPDX-License-Identifier: MIT
// gpustall-record: records what an accelerator's kernels spend their time on, and which CPU code
// launched them, as text (gpustall(5)).
//
//   gpustall-record -o app.gpustall -- ./app --its options
//   gpustall-record -- ./app | stackcollapse-aiflame | aiflame-svg > app.svg
//
// in:  a source plugin's samples and code objects; the agents' launches and CPU stacks
// out: # gpustall 1
//      …
//      matmul 4711/4711 [000]  5012.010000000:         57 gpu-clock:
//              7f12c0001430 multiply_basic+0x430 (/home/u/.cache/aiflame/objects/3f2a….so)

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/options.h"
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "tools/gpustall-record/capture/choose_source.h"
#include "tools/gpustall-record/capture/source_host.h"
#include "tools/gpustall-record/record.h"
#include "tools/gpustall-record/write/replay.h"

namespace aiflame::record {
namespace {

struct Arguments {
  std::vector<std::string> command;
  std::string output, source, input, plugin_directory;
  uint64_t device = kAnyDevice;
  bool list = false;
  RecordOptions record;
  std::string launch_stacks;

  static constexpr uint64_t kAnyDevice = UINT64_MAX;
};

bool parse(int argc, char** argv, Arguments& a) {
  constexpr uint64_t kNotGiven = UINT64_MAX;
  uint64_t duty = kNotGiven;
  Options options(
      Options::Style::gnu, "[OPTION]... [--] COMMAND [ARGUMENT]...",
      "Records which instructions of an accelerator's kernels cost time, why, and which CPU code "
      "launched them. Writes gpustall(5) text to standard output, for stackcollapse-aiflame; the "
      "command's own standard output goes to standard error then.",
      "Example:\n  gpustall-record -- ./app | stackcollapse-aiflame | aiflame-svg > app.svg");
  options.text("output,o", a.output, "FILE", "write to FILE instead of standard output");
  options.number("pid,p", a.record.pid, "PID", "record a running process instead of a command");
  options.flag("all,a", a.record.all, "record the whole system instead of a command");
  options.text("source", a.source, "NAME",
               "where samples come from (default: the first of --list that has a device)");
  options.number("device", a.device, "N", "record device N of the source only");
  options.number("frequency,F", a.record.frequency, "HZ", "samples a second and processor");
  options.number("period", a.record.period, "N", "one sample each N of the device's unit");
  options.number("interval", a.record.interval_ms, "MS", "length of a time slice (default 10)");
  options.text(
      "sampling", a.record.sampling, "HOW",
      "of sources in the command's process: continuous (kernels run as ever; the default) or "
      "exact (one kernel at a time, so that each sample's launch is known); of all: off (launches "
      "and their device time alone)");
  options.number("duty", duty, "PERCENT",
                 "of those: sample in so much of the time (default 100, or 10 with exact)");
  options.flag("ranges", a.record.ranges,
               "show the NVTX ranges that are open at a launch as frames");
  options.real("duration", a.record.duration_s, "SECONDS",
               "stop recording after SECONDS; the command runs on");
  options.text("launch-stacks", a.launch_stacks, "HOW",
               "where CPU stacks at launches come from: agent (in the command's process; the "
               "default for a command), uprobe (needs root; the default with -p and -a), off");
  options.text("objects", a.record.objects_directory, "DIR",
               "keep the kernels' code objects in DIR (default ~/.cache/aiflame/objects)");
  options.text("input", a.input, "FILE", "the recording that --source replay writes again");
  options.text("plugin-dir", a.plugin_directory, "DIR", "load plugins from DIR");
  options.flag("list", a.list, "show the sources with their devices, or why they have none");
  options.command(a.command);
  if (!options.parse(argc, argv)) return false;

  if (a.record.frequency != 0 && a.record.period != 0)
    throw UsageError("-F and --period exclude each other");
  if (a.record.frequency > 1000000) throw UsageError("option '--frequency': more than 1000000");
  if (a.record.interval_ms < 1 || a.record.interval_ms > 60000)
    throw UsageError("option '--interval': not from 1 to 60000");
  if (a.record.pid > INT32_MAX) throw UsageError("option '--pid': no such process");
  if (a.launch_stacks == "agent")
    a.record.stacks = LaunchStacks::agent;
  else if (a.launch_stacks == "uprobe")
    a.record.stacks = LaunchStacks::uprobe;
  else if (a.launch_stacks == "off")
    a.record.stacks = LaunchStacks::off;
  else if (!a.launch_stacks.empty())
    throw UsageError("option '--launch-stacks': not agent, uprobe or off");
  if (!a.record.sampling.empty() && a.record.sampling != "continuous" &&
      a.record.sampling != "exact" && a.record.sampling != "off")
    throw UsageError("option '--sampling': not continuous, exact or off");
  if (duty != kNotGiven && (duty < 1 || duty > 100))
    throw UsageError("option '--duty': not from 1 to 100");
  if (duty != kNotGiven) a.record.duty = duty;
  const int targets = (a.command.empty() ? 0 : 1) + (a.record.pid != 0 ? 1 : 0) + a.record.all;
  if (a.list || a.source == "replay") {
    if (targets > 0) throw UsageError("nothing can be recorded with --list or --source replay");
    if (a.source == "replay" && a.input.empty() && !a.list)
      throw UsageError("--source replay needs --input FILE");
  } else if (targets != 1) {
    throw UsageError(targets == 0 ? "no command, -p or -a"
                                  : "a command, -p and -a exclude each other");
  } else if (!a.input.empty()) {
    throw UsageError("--input is for --source replay");
  }
  if (a.record.stacks == LaunchStacks::agent && a.command.empty() && targets > 0)
    throw UsageError("--launch-stacks=agent needs a command");
  if (a.plugin_directory.empty()) a.plugin_directory = default_plugin_directory();
  a.record.plugin_directory = a.plugin_directory;
  a.record.command = a.command;
  a.record.device = a.device == Arguments::kAnyDevice ? -1 : static_cast<int32_t>(a.device);
  return true;
}

// Opening the output would empty the input.
bool is_same_file(const std::string& input, const std::string& output) {
  struct stat one {
  }, other{};
  return !output.empty() && output != "-" && stat(input.c_str(), &one) == 0 &&
         stat(output.c_str(), &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

int body(int argc, char** argv) {
  Arguments a;
  if (!parse(argc, argv, a)) return 0;
  if (a.list) return list_sources(a.record);
  const Choice choice = choose_source(a.source, a.record);
  Source& source = *choice.source;
  if (source.has(GPUSTALL_RECORDED)) {
    gpustall_config config = make_config(a.record, 0);
    config.input = a.input.c_str();
    source.open(config);
    if (is_same_file(a.input, a.output))
      throw Error(format("'%s' is read and cannot be written too", a.output.c_str()));
    Output out(a.output);
    replay(source, a.input, out);
    out.close();
    return 0;
  }
  const bool is_off = a.record.sampling == "off";
  if (!source.has(GPUSTALL_BY_AGENT) &&
      ((!a.record.sampling.empty() && !is_off) || a.record.duty != 0))
    throw UsageError(
        format("--sampling and --duty are not for source '%s'", source.name().c_str()));
  if (!choice.obstacle.empty() && !is_off)
    warn("no samples, only launches and their device time: %s", choice.obstacle.c_str());
  a.record.sample = choice.obstacle.empty() && !is_off;
  return record(source, a.output, a.record);
}

}  // namespace
}  // namespace aiflame::record

int main(int argc, char** argv) {
  // 125 as timeout(1): other numbers are the command's own
  return aiflame::run_program("gpustall-record", argc, argv, aiflame::record::body, 125, 125);
}
