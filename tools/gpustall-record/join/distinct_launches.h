// SPDX-License-Identifier: MIT
// The distinct launches of a recording: by thread, kernel and CPU stack, as agents number them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"

namespace aiflame::record {

struct DistinctLaunch {
  uint32_t number = 0, pid = 0, tid = 0, device = 0, kernel = 0;
  uint64_t time = 0;     // of the first one
  uint64_t address = 0;  // of the kernel, where the agent told in which object it is, and that
  std::string object;    // object's path
  std::string comm;
  std::vector<const GpustallFrame*> stack;  // frames of a StackNamer
  std::set<uint64_t> written;               // with these kernel addresses; 0 = without one
};

class DistinctLaunches {
 public:
  // The one that process `pid` calls `id`, numbered and else empty; null when it is known already,
  // or there are too many. It stays where it is until the next is added.
  DistinctLaunch* add(uint32_t pid, uint64_t id) {
    if (launches_.size() >= kMost) return nullptr;
    uint32_t& number = numbers_[{pid, id}];
    if (number != 0) return nullptr;
    number = static_cast<uint32_t>(launches_.size() + 1);
    DistinctLaunch& launch = launches_.emplace_back();
    launch.number = number;
    launch.pid = pid;
    return &launch;
  }
  DistinctLaunch* find(uint32_t pid, uint64_t id) {
    const auto known = numbers_.find({pid, id});
    return known == numbers_.end() ? nullptr : &launches_[known->second - 1];
  }
  DistinctLaunch& at(uint32_t number) { return launches_[number - 1]; }

  // The ids of a process say nothing of the program, or the process, that gets its pid next.
  void forget(uint32_t pid) {
    numbers_.erase(numbers_.lower_bound({pid, 0}), numbers_.upper_bound({pid, UINT64_MAX}));
  }

 private:
  // Some 400 MB. Launches of more are counted as lost. A program that makes a thread for each
  // launch gets there.
  static constexpr size_t kMost = 1 << 20;

  std::vector<DistinctLaunch> launches_;                       // by number - 1
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_;  // by (pid, agent's id)
};

}  // namespace aiflame::record
