// SPDX-License-Identifier: MIT
// Launches seen from outside: uprobes on the functions that launch, with the CPU stack by frame
// pointers. No code enters the process, so it also works on one that runs already; needs root.
// What it cannot know: when the device ran a launch, and where the kernel's code is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/gpustall-record/capture/agent_host.h"
#include "tools/gpustall-record/capture/probed_lists.h"
#include "tools/gpustall-record/capture/uprobe.h"

namespace aiflame::record {

class LaunchProbes {
 public:
  // Probes of every interface that is installed. `pid` 0 = every process. Throws Error with the
  // cause and the remedy when there is none.
  explicit LaunchProbes(uint32_t pid);
  ~LaunchProbes();

  // Tells `listener` of what the process has mapped: it may end before anybody asks.
  void begin(AgentListener& listener);
  // Tells `listener` what was seen, in order of time; `all`: without waiting for other processors'
  // older records.
  void drain(AgentListener& listener, bool all);

 private:
  using Thread = std::pair<uint32_t, uint32_t>;  // pid, tid
  using Handle = std::pair<uint32_t, uint64_t>;  // pid, handle

  // A function that makes something has been entered, and not yet left.
  struct Making {
    size_t point = 0;
    std::string name;
    uint64_t out = 0;  // where its handle will be put
  };

  void take(const UprobeHit& hit, AgentListener& listener);
  void take_hit(const UprobeHit& hit, AgentListener& listener);
  void take_made(const UprobeHit& hit);
  uint64_t made_handle(const UprobeHit& hit, const Making& making) const;
  std::string kernel_name(uint32_t pid, uint64_t handle) const;
  void launch(const UprobeHit& hit, const ProbedLists::Appended& what, uint64_t count,
              bool executed, bool back, AgentListener& listener);
  void forget(uint32_t pid);

  uint32_t pid_;
  std::vector<Uprobe> probes_;
  std::vector<UprobeHit> held_;
  std::set<uint32_t> wanted_;    // the process and what it forked
  std::set<uint32_t> executed_;  // of these, those whose mappings are void since
  std::map<Thread, Making> making_;
  std::map<Handle, std::string> kernels_;  // names; "" where it is not known
  ProbedLists lists_;
  std::set<std::pair<uint32_t, uint64_t>> told_;  // stacks, by (pid, id)
  bool lost_names_ = false;
};

}  // namespace aiflame::record
