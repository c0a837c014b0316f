// SPDX-License-Identifier: MIT
// What the user is told of programs that are not recorded: no agent has reported, or they outlive
// the command.
#pragma once

#include <string>
#include <vector>

#include "tools/gpustall-record/agents/runtime_watch.h"

namespace aiflame::record {

struct AgentSearch {
  std::vector<LoadedRuntime> loaded;
  std::string obstacle;  // why there may be more in `loaded`; "" = there is not
  bool runs_on = false;  // processes of the command outlive the recording
};

// One line for each reason: "no program loaded an agent: ...". Names a command that is statically
// linked, into which nothing can be loaded.
std::vector<std::string> why_no_agent(const std::vector<std::string>& command,
                                      const AgentSearch& search);

// "2 processes outlive the command: ...", with their names.
std::string who_runs_on(const std::vector<pid_t>& processes);

// Whether `path` is an ELF program without an interpreter (PT_INTERP), which is what loads
// libraries.
bool is_statically_linked(const std::string& path);

}  // namespace aiflame::record
