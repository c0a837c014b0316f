// SPDX-License-Identifier: MIT
// Sees launches from outside: uprobes on the functions that launch, with CPU stacks from frame
// pointers and, where the kernel can, from the Python interpreter. No code enters the process, so
// this also works on one that already runs. It needs root. It cannot know when the device ran a
// launch, nor where the kernel's code is.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/probes/probe_hits.h"
#include "tools/gpustall-record/probes/uprobe.h"
#include "tools/gpustall-record/python/python_stacks.h"

namespace aiflame::record {

class LaunchProbes {
 public:
  // Places probes on every installed interface. `pid` 0 = every process. `directory`: where plugins
  // are. What is kept of processes counts in `budgets`. Throws Error, with the cause and the
  // remedy, when that fails or no interface is installed.
  LaunchProbes(uint32_t pid, const std::string& directory, Budgets& budgets);
  ~LaunchProbes();

  // Reports the mappings of the process now, since it may end before they are needed.
  void report_mappings(AgentListener& listener);
  // Reports the hits in order of time. The latest ones wait for the next call, as older hits of
  // other processors may still arrive; `all`: they do not wait.
  void drain(AgentListener& listener, bool all);

 private:
  void add_probes(const Uprobe::Place& place);
  void add_probe(const Uprobe::Place& place);
  void prepare_python(const std::string& directory);

  uint32_t pid_;
  std::vector<Uprobe> probes_;
  std::unique_ptr<PythonStacks> python_;  // goes before the probes; null when it cannot be
  std::string why_no_python_;             // then
  std::vector<UprobeHit> held_;           // not reported yet
  ProbeHits hits_;
  std::set<std::string_view> warned_of_nameless_;  // the libraries
};

}  // namespace aiflame::record
