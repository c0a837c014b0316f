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

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/options.h"
#include "libcommon/output.h"
#include "libcommon/program.h"
#include "tools/gpustall-record/record.h"
#include "tools/gpustall-record/replay.h"
#include "tools/gpustall-record/source_host.h"

namespace aiflame {
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

struct Candidate {
  std::string name;
  std::unique_ptr<Source> source;  // null: see fault
  std::string fault;
};

// In the order of --list: those that tell stalls first, since the processor, which is always there
// to be sampled, must not keep an accelerator from being found; then by name.
std::vector<Candidate> load_sources(const Arguments& a) {
  std::vector<Candidate> found;
  std::vector<std::string> names{a.source};
  if (a.source.empty()) names = source_names(a.plugin_directory);
  for (const std::string& name : names) {
    Candidate one{name, nullptr, ""};
    try {
      one.source = std::make_unique<Source>(a.plugin_directory, name);
    } catch (const Error& error) {
      one.fault = error.what();
    }
    found.push_back(std::move(one));
  }
  std::stable_partition(found.begin(), found.end(), [](const Candidate& one) {
    return one.source != nullptr && one.source->event() == "gpu-stall" &&
           !one.source->has(GPUSTALL_RECORDED);
  });
  return found;
}

// "opencl-cpu   the CPU as OpenCL device …" with its devices, or the reason it has none, below.
int list_sources(const Arguments& a) {
  Output out;
  for (const Candidate& one : load_sources(a)) {
    try {
      if (one.source == nullptr) throw Error(one.fault);
      out.write(format("%-12s %s\n", one.name.c_str(), one.source->description().c_str()));
      for (const Device& device : one.source->devices(make_config(a.record, 0))) {
        std::string line =
            format("  device %u: %s, %s", device.index, device.name.c_str(), device.place.c_str());
        if (!device.obstacle.empty())
          line += ": " + device.obstacle;
        else if (device.period != 0)
          line += format(", period %llu %s", static_cast<unsigned long long>(device.period),
                         device.unit.c_str());
        out.write(line + "\n");
      }
    } catch (const Error& error) {
      out.write(format("  %s\n", error.what()));
    }
  }
  out.close();
  return 0;
}

// Why none of the devices that `source` has can be recorded; "" where one can. Throws Error when it
// has none.
std::string obstacle_of(const Source& source, const Arguments& a) {
  const std::vector<Device> devices = source.devices(make_config(a.record, 0));
  if (devices.empty()) throw Error(format("source '%s': no device", source.name().c_str()));
  for (const Device& device : devices)
    if (device.obstacle.empty()) return "";
  return format("source '%s': %s: %s", source.name().c_str(), devices.front().place.c_str(),
                devices.front().obstacle.c_str());
}

struct Choice {
  std::unique_ptr<Source> source;
  std::string obstacle;  // why there will be no samples; empty when there will
};

// The source asked for, or the first that has a device. Where none has one, a command's launches
// and their device time are still worth recording: then the first source whose agent tells of them.
Choice choose_source(const Arguments& a) {
  const bool agent_may_help = !a.command.empty() && (a.record.stacks == LaunchStacks::automatic ||
                                                     a.record.stacks == LaunchStacks::agent);
  Choice without_samples;
  std::string obstacles, passed_over;
  for (Candidate& one : load_sources(a)) {
    std::unique_ptr<Source> source = std::move(one.source);
    try {
      if (source == nullptr) throw Error(one.fault);
      if (source->has(GPUSTALL_NOT_AUTO) && a.source.empty()) continue;
      if (source->has(GPUSTALL_RECORDED)) return {std::move(source), ""};
      const std::string obstacle = obstacle_of(*source, a);
      if (!obstacle.empty()) {
        // there is an accelerator, so that another source is not what is expected
        passed_over += (passed_over.empty() ? "" : "; ") + obstacle;
        throw Error(obstacle);
      }
      if (!passed_over.empty())
        warn("'%s' is recorded instead of: %s", source->name().c_str(), passed_over.c_str());
      return {std::move(source), ""};
    } catch (const Error& error) {
      obstacles += (obstacles.empty() ? "" : "; ") + std::string(error.what());
      if (source != nullptr && !source->agent().empty() && without_samples.source == nullptr)
        without_samples.source = std::move(source);
    }
  }
  without_samples.obstacle = obstacles;
  if (!agent_may_help || without_samples.source == nullptr)
    throw Error(obstacles.empty() ? "no source is installed" : obstacles);
  return without_samples;
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
  if (a.list) return list_sources(a);
  const Choice choice = choose_source(a);
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
  if (!choice.obstacle.empty())
    warn("no samples, only launches and their device time: %s", choice.obstacle.c_str());
  a.record.sample = choice.obstacle.empty();
  return record(source, a.output, a.record);
}

}  // namespace
}  // namespace aiflame

int main(int argc, char** argv) {
  // 125 as timeout(1): other numbers are the command's own
  return aiflame::run_program("gpustall-record", argc, argv, aiflame::body, 125, 125);
}
