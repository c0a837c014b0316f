// SPDX-License-Identifier: MIT
// Launches seen from outside: uprobes on the launch functions, with the CPU stack by frame
// pointers. No code enters the process, so it also works on one that runs already; needs root.
// What it cannot know: when the device ran a launch. Its launches are marked AGENT_UNTIMED.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/gpustall-record/agent_host.h"

namespace aiflame {

class LaunchProbes {
 public:
  // Probes of the interface that `agent` is for. `pid` 0 = every process. Throws Error with the
  // cause and the remedy.
  LaunchProbes(const std::string& agent, uint32_t pid);
  ~LaunchProbes();
  LaunchProbes(const LaunchProbes&) = delete;
  LaunchProbes& operator=(const LaunchProbes&) = delete;

  // Tells `listener` what was seen, in order of time; `all`: without waiting for other processors'
  // older records.
  void drain(AgentListener& listener, bool all);

 private:
  struct Hit;
  class Probe;
  void take(const Hit& hit, AgentListener& listener);
  void take_launch(const Hit& hit, AgentListener& listener);
  std::string name_argument(const Hit& hit) const;

  uint32_t pid_;
  std::vector<std::unique_ptr<Probe>> probes_;
  std::vector<Hit> held_;
  std::set<uint32_t> wanted_;    // the process and what it forked
  std::set<uint32_t> executed_;  // of these, those whose mappings are void since
  std::map<std::pair<uint32_t, uint32_t>, std::string> creating_;  // by (pid, tid): kernel's name
  std::map<std::pair<uint32_t, uint64_t>, std::string> kernels_;   // by (pid, handle)
  std::set<std::pair<uint32_t, uint64_t>> told_;                   // stacks, by (pid, id)
  uint64_t instances_ = 0;
};

}  // namespace aiflame
