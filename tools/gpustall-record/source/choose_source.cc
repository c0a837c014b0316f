// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/choose_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "tools/gpustall-record/source/missing_parts.h"
#include "tools/gpustall-record/source/plugin_directory.h"

namespace aiflame::record {
namespace {

struct Candidate {
  std::string name;
  std::unique_ptr<Source> source;  // null when it could not be loaded
  std::string fault;               // the reason
};

// Sources of stalls come first. The CPU can always be sampled, so it must not win over an
// accelerator.
int rank_of(const Candidate& one) {
  if (one.source == nullptr || one.source->event() != "gpu-stall" ||
      one.source->has(GPUSTALL_RECORDED))
    return 2;
  return one.source->has(GPUSTALL_SECOND_CHOICE) ? 1 : 0;
}

// In the order of --list: by rank, then by name.
std::vector<Candidate> load_sources(const std::string& wanted, const CaptureOptions& options) {
  std::vector<Candidate> found;
  std::vector<std::string> names{wanted};
  if (wanted.empty()) names = source_names(options.plugin_directory);
  for (const std::string& name : names) {
    Candidate one{name, nullptr, ""};
    try {
      one.source = std::make_unique<Source>(options.plugin_directory, name);
    } catch (const Error& error) {
      one.fault = error.what();
    }
    found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return rank_of(a) < rank_of(b); });
  return found;
}

bool may_use_agents(const CaptureOptions& options) {
  return options.stacks == LaunchStacks::automatic || options.stacks == LaunchStacks::agent;
}

// Why no agent of the source takes samples, "" when one may.
std::string agent_obstacle(const Source& source, const CaptureOptions& options,
                           const AttachedAgent& others) {
  if (options.launch_times != LaunchTimes::cupti)
    return format("--launch-times=%s leaves CUPTI alone", name_of(options.launch_times));
  if (!may_use_agents(options)) return "its samples come from its agent: --launch-stacks=agent";
  if (may_have_agents(options)) return "";
  if (std::ranges::find(others.files, source.agent() + "-agent.so") == others.files.end())
    return "its samples come from its agent: record a command, or a program that was started with "
           "the variables of --print-env";
  return others.sample_request.empty()
             ? format(
                   "process %u was not told to take samples: start it with the variables of "
                   "--print-env --source %s",
                   static_cast<uint32_t>(options.pid), source.name().c_str())
             : "";
}

// Why none of the source's devices can be recorded; "" when one can. Throws Error when it has no
// device.
std::string obstacle_of(const Source& source, const CaptureOptions& options,
                        const AttachedAgent& others) {
  const std::vector<Device> devices = source.devices(source_config(options, 0));
  if (devices.empty()) throw Error(format("source '%s': no device", source.name().c_str()));
  std::string obstacle = devices.front().place + ": " + devices.front().obstacle;
  if (std::ranges::any_of(devices, [](const Device& one) { return one.obstacle.empty(); }))
    obstacle = source.has(GPUSTALL_BY_AGENT) ? agent_obstacle(source, options, others) : "";
  return obstacle.empty() ? "" : format("source '%s': %s", source.name().c_str(), obstacle.c_str());
}

// Whether a device could be recorded, but for the user's --period, or -F where the user chose the
// source. A period's unit is that of the device: 1000 cycles of a GPU that has no such period must
// not become 1000 ns of the CPU.
bool only_rate_is_wrong(const Source& source, const std::string& wanted, CaptureOptions options,
                        const AttachedAgent& others) {
  const bool has_rate = options.period != 0 || (options.frequency != 0 && !wanted.empty());
  if (!has_rate) return false;
  options.period = options.frequency = 0;
  return obstacle_of(source, options, others).empty();
}

}  // namespace

ChosenSource choose_source(const std::string& wanted, const CaptureOptions& options,
                           const AttachedAgent& others) {
  const bool agent_may_help =
      (may_have_agents(options) || !others.directory.empty()) && may_use_agents(options);
  ChosenSource without_samples;
  std::string obstacles, passed_over;
  bool is_wrong_rate = false;
  for (Candidate& one : load_sources(wanted, options)) {
    std::unique_ptr<Source> source = std::move(one.source);
    try {
      if (source == nullptr) throw Error(one.fault);
      if (source->has(GPUSTALL_NOT_AUTO) && wanted.empty()) continue;
      if (source->has(GPUSTALL_RECORDED)) return {std::move(source), ""};
      const std::string obstacle = obstacle_of(*source, options, others);
      if (!obstacle.empty()) {
        is_wrong_rate = only_rate_is_wrong(*source, wanted, options, others);
        if (is_wrong_rate)
          throw Error(obstacle + (wanted.empty() ? "; --source chooses another source" : ""));
        // the machine has an accelerator, so the user must know that another source is recorded
        passed_over += (passed_over.empty() ? "" : "; ") + obstacle;
        throw Error(obstacle);
      }
      if (!passed_over.empty())
        warn("'%s' is recorded instead of: %s", source->name().c_str(), passed_over.c_str());
      return {std::move(source), ""};
    } catch (const Error& error) {
      if (is_wrong_rate) throw;
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

int list_sources(const std::string& wanted, const CaptureOptions& options) {
  Output out;
  for (const Candidate& one : load_sources(wanted, options)) {
    if (one.source == nullptr && !wanted.empty()) throw Error(one.fault);
    try {
      if (one.source == nullptr) throw Error(one.fault);
      out.write(format("%-12s %s\n", one.name.c_str(), one.source->description().c_str()));
      for (const Device& device : one.source->devices(source_config(options, 0))) {
        if (!device.lack.empty()) {
          out.write(format("  source '%s': %s\n", one.name.c_str(), device.lack.c_str()));
          continue;
        }
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
  // another directory holds what its owner has put there
  if (wanted.empty() && options.plugin_directory == default_plugin_directory())
    for (const std::string& line : left_out_parts(options.plugin_directory)) out.write(line + "\n");
  out.close();
  return 0;
}

}  // namespace aiflame::record
