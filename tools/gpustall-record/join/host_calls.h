// SPDX-License-Identifier: MIT
// What threads did at each moment, from the calls of the runtime that agents report: launches,
// copies and waits. Calls of the latest time are kept, for gaps that are still open. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "libcommon/timeline/idle_causes.h"
#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class HostCalls {
 public:
  // What is kept counts in `budgets`, as Kept::runs.
  explicit HostCalls(Budgets& budgets) : budgets_(budgets) {}

  struct Call {
    uint64_t begin = 0, end = 0;
    uint32_t number = 0;  // of the distinct launch or wait
    HostPhase phase = HostPhase::calls;
  };
  // The calls of a thread are added nearly in order. Of several that begin at once, which are one,
  // the longest counts.
  void add(uint32_t pid, uint32_t tid, const Call& call);
  // HostMoment::what is the number of the call; 0 where the thread is in none. Where the thread's
  // calls are not kept, it does HostPhase::nothing that is known.
  HostMoment at(uint32_t pid, uint32_t tid, uint64_t time) const;
  // Calls that ended before `time` are not needed any more.
  void forget_before(uint64_t time);

 private:
  // A gap that lasts for minutes is explained by as many of its last calls. Calls that are added
  // out of order move the later ones, so a hostile agent must not have too many.
  static constexpr size_t kMostCalls = 8192;
  // Calls do not nest deeper: a callback of the runtime may launch.
  static constexpr int kDeepest = 4;
  static constexpr uint64_t kCallBytes = 32, kThreadBytes = 256;

  struct Thread {
    std::deque<Call> calls;   // by begin
    uint64_t known_from = 0;  // the calls before it are not all kept
  };

  Budgets& budgets_;
  std::map<std::pair<uint32_t, uint32_t>, Thread> threads_;  // by pid and tid
};

}  // namespace aiflame::record
