// SPDX-License-Identifier: MIT
// The names of kernels by their handles, as uprobes see them. A handle is known from the call that
// created it, or in which the program asked for its name, until it is released: then another kernel
// may get it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class ProbedKernels {
 public:
  // The handle is of a kernel of this name, with one reference; also when an earlier one had it.
  void create(uint32_t pid, uint64_t handle, const std::string& name, Budgets& budgets) {
    erase(pid, handle, budgets);
    if (!budgets.take(Kept::probes, pid, cost(name))) return;
    kernels_[{pid, handle}] = {name, 1};
  }
  // The program was told the name. Where the handle is older than the probes, nobody knows how many
  // references it has: it is forgotten at the first release.
  void learn(uint32_t pid, uint64_t handle, const std::string& name, Budgets& budgets) {
    if (!kernels_.contains({pid, handle})) create(pid, handle, name, budgets);
  }
  void retain(uint32_t pid, uint64_t handle) {
    const auto known = kernels_.find({pid, handle});
    if (known != kernels_.end()) ++known->second.references;
  }
  void release(uint32_t pid, uint64_t handle, Budgets& budgets) {
    const auto known = kernels_.find({pid, handle});
    if (known != kernels_.end() && --known->second.references == 0) erase(pid, handle, budgets);
  }
  // "" = not known.
  const std::string& name(uint32_t pid, uint64_t handle) const {
    static const std::string unknown;
    const auto known = kernels_.find({pid, handle});
    return known == kernels_.end() ? unknown : known->second.name;
  }
  // The child has its parent's handles, as far as there is room for them.
  void fork(uint32_t parent, uint32_t child, Budgets& budgets) {
    for (auto at = kernels_.lower_bound({parent, 0});
         at != kernels_.end() && at->first.first == parent; ++at) {
      if (!budgets.take(Kept::probes, child, cost(at->second.name))) return;
      kernels_[{child, at->first.second}] = at->second;
    }
  }
  // The caller gives the room back, with everything else of Kept::probes.
  void forget(uint32_t pid) {
    kernels_.erase(kernels_.lower_bound({pid, 0}), kernels_.upper_bound({pid, UINT64_MAX}));
  }

 private:
  struct Kernel {
    std::string name;
    uint64_t references = 0;
  };
  static uint64_t cost(const std::string& name) { return 128 + name.size(); }
  void erase(uint32_t pid, uint64_t handle, Budgets& budgets) {
    const auto known = kernels_.find({pid, handle});
    if (known == kernels_.end()) return;
    budgets.give_back(Kept::probes, pid, cost(known->second.name));
    kernels_.erase(known);
  }

  std::map<std::pair<uint32_t, uint64_t>, Kernel> kernels_;  // by pid and handle
};

}  // namespace aiflame::record
