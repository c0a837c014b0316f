// SPDX-License-Identifier: MIT
// Sees launches from outside: uprobes on the functions that launch, with CPU stacks from frame
// pointers and, where the kernel can, from the Python interpreter. No code enters the process, so
// this also works on one that already runs. It needs root. It cannot know when the device ran a
// launch, nor where the kernel's code is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/probes/probed_kernels.h"
#include "tools/gpustall-record/probes/probed_lists.h"
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
  using Thread = std::pair<uint32_t, uint32_t>;  // pid, tid

  // A thread is inside a function that creates something.
  struct Creating {
    size_t point = 0;
    std::string name;
    uint64_t out = 0;     // the address that the handle or the name will be written to
    uint64_t handle = 0;  // of the kernel whose name is asked for
  };

  void add_probes(const Uprobe::Place& place);
  void add_probe(const Uprobe::Place& place);
  void prepare_python(const std::string& directory);
  void take(const UprobeHit& hit, AgentListener& listener);
  void take_hit(const UprobeHit& hit, AgentListener& listener);
  std::vector<uint64_t> stack_of(const UprobeHit& hit, AgentListener& listener, uint16_t& flags);
  void tell_of_python(uint32_t pid);
  void begin_creating(const UprobeHit& hit);
  void take_created(const UprobeHit& hit);
  static std::string told_name(const UprobeHit& hit, const Creating& creating);
  uint64_t created_handle(const UprobeHit& hit, const Creating& creating) const;
  void report_launches(const UprobeHit& hit, const ProbedLists::Appended& at_hit,
                       const ProbedLists::Appended& what, uint64_t count, bool executed,
                       bool retract, AgentListener& listener);
  void forget(uint32_t pid);

  uint32_t pid_;
  Budgets& budgets_;
  std::vector<Uprobe> probes_;
  std::unique_ptr<PythonStacks> python_;  // goes before the probes; null when it cannot be
  std::string why_no_python_;             // then
  std::vector<UprobeHit> held_;           // not reported yet
  std::set<uint32_t> wanted_;             // the process and its descendants
  std::set<uint32_t> executed_;           // wanted ones without a mapping since their exec
  std::map<Thread, Creating> creating_;
  ProbedKernels kernels_;
  ProbedLists lists_;
  std::set<std::pair<uint32_t, uint64_t>> reported_stacks_;  // by (pid, id)
  std::set<std::string_view> warned_of_nameless_;            // the libraries
  bool warned_of_lost_names_ = false, warned_of_python_ = false;
};

}  // namespace aiflame::record
