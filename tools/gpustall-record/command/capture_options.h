// SPDX-License-Identifier: MIT
// What to record, and how: the command line's choices that concern capture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/abi/gpustall_plugin.h"

namespace aiflame::record {

enum class LaunchStacks { automatic, agent, uprobe, off };
// Where launches of CUDA and their device time come from: from CUPTI, or without CUPTI from the
// driver's calls, with times by events of CUDA or none.
enum class LaunchTimes { cupti, events, off };

struct CaptureOptions {
  std::vector<std::string> command;  // empty with pid, all or listen
  uint64_t pid = 0;
  bool all = false;
  // The directory to which the agents of other programs come, "" = none; with pid, of that process
  // alone.
  std::string listen;
  uint64_t frequency = 0, period = 0;  // 0 = the source's default
  uint64_t interval_ms = 10;
  // For a source whose samples come from its agent; "" and 0 = the agent's default.
  std::string sampling;
  uint64_t duty = 0;          // percent of the time
  bool ranges = false;        // agents report the program's own ranges
  std::string number_ranges;  // the range whose instances get numbers; "" = none
  std::string graph_dot;      // where agents write CUDA graphs, an absolute path; "" = nowhere
  double duration_s = 0;      // 0 = until the end
  int32_t device = -1;        // -1 = all
  LaunchStacks stacks = LaunchStacks::automatic;
  LaunchTimes launch_times = LaunchTimes::cupti;
  bool redact = false;  // no command line, no places of files
  bool no_sandbox = false;
  std::string objects_directory, plugin_directory;
  bool memory = false;                          // allocations and frees of device memory
  bool buildid_cache = false;                   // keep CPU objects
  bool energy = false;                          // read the energy counters
  std::string energy_directory = "/sys/class";  // where they are
};

// The word of --launch-times.
const char* name_of(LaunchTimes times);

// Whether agents can report: those of the command, or those that are listened for.
bool may_have_agents(const CaptureOptions& options);

// The configuration for a source plugin; `pid` is the command's or the process's, 0 = none yet.
gpustall_config source_config(const CaptureOptions& options, uint32_t pid);

// How much of the time an agent samples. The default (`duty` 0) is all of it, or a tenth with
// --sampling=exact, which costs the program more: its kernels run one at a time then.
uint64_t sampled_percent(std::string_view sampling, uint64_t duty);

}  // namespace aiflame::record
