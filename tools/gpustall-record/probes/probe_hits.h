// SPDX-License-Identifier: MIT
// What hits of launch probes mean: which kernels were created, which were launched from where, and
// which processes belong to the recording.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/probes/probed_kernels.h"
#include "tools/gpustall-record/probes/probed_lists.h"
#include "tools/gpustall-record/probes/uprobe.h"
#include "tools/gpustall-record/python/python_stacks.h"

namespace aiflame::record {

class ProbeHits {
 public:
  // Of a process and its descendants; 0 = of all. What is kept of them counts in `budgets`.
  ProbeHits(uint32_t pid, Budgets& budgets) : pid_(pid), budgets_(budgets), lists_(budgets) {
    wanted_.insert(pid);
  }
  // Null, and the reason, when the Python functions of stacks cannot be had.
  void use_python(PythonStacks* python, std::string why_not) {
    python_ = python;
    why_no_python_ = std::move(why_not);
  }

  // Reports those of `hits`, which are in order of time, that are no later than `settled`. Returns
  // how many these are.
  size_t take(const std::vector<UprobeHit>& hits, uint64_t settled, AgentListener& listener);

 private:
  using Thread = std::pair<uint32_t, uint32_t>;  // pid, tid

  // A thread is inside a function that creates something.
  struct Creating {
    size_t point = 0;
    std::string name;
    uint64_t out = 0;     // the address that the handle or the name will be written to
    uint64_t handle = 0;  // of the kernel whose name is asked for
  };

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
  PythonStacks* python_ = nullptr;
  std::string why_no_python_;         // when it is null
  std::span<const UprobeHit> later_;  // than the one that is taken
  std::set<uint32_t> wanted_;         // the process and its descendants
  std::set<uint32_t> executed_;       // wanted ones without a mapping since their exec
  std::map<Thread, Creating> creating_;
  ProbedKernels kernels_;
  ProbedLists lists_;
  std::set<std::pair<uint32_t, uint64_t>> reported_stacks_;  // by (pid, id)
  bool warned_of_lost_names_ = false, warned_of_python_ = false;
};

}  // namespace aiflame::record
