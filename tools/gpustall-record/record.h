// SPDX-License-Identifier: MIT
// One recording: a target, a source, the agents or probes, and the clock that makes slices of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/gpustall-record/capture/source_host.h"

namespace aiflame::record {

enum class LaunchStacks { automatic, agent, uprobe, off };

struct RecordOptions {
  std::vector<std::string> command;  // empty with pid or all
  uint64_t pid = 0;
  bool all = false;
  uint64_t frequency = 0, period = 0;  // 0 = the source's default
  uint64_t interval_ms = 10;
  // Of a source whose samples come from its agent; "" and 0 = as the agent has it by default.
  std::string sampling;
  uint64_t duty = 0;      // percent of the time
  bool ranges = false;    // agents tell of the program's own ranges (NVTX)
  double duration_s = 0;  // 0 = until the end
  int32_t device = -1;    // -1 = all
  LaunchStacks stacks = LaunchStacks::automatic;
  bool sample = true;  // false: launches only, as the source cannot sample here
  std::string objects_directory, plugin_directory;
};

// What a source is told of `options`; `pid` of the command or process.
gpustall_config make_config(const RecordOptions& options, uint32_t pid);

// Records into `output` ("" = standard output). Returns the exit status: the command's own.
int record(Source& source, const std::string& output, const RecordOptions& options);

}  // namespace aiflame::record
