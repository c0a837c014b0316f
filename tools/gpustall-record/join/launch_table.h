// SPDX-License-Identifier: MIT
// The distinct launches of a recording. Launches by the same thread, of the same kernel, from the
// same CPU stack are one distinct launch: its stack is written once, and launches are counted.
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
  uint64_t address = 0;  // of the kernel, when the agent reported the kernel's object; else 0
  std::string object;    // path of that object
  std::string comm;
  std::vector<const GpustallFrame*> stack;  // owned by a StackNamer
  std::set<uint64_t> written;  // the kernel addresses it has been written with; 0 = without one
};

class LaunchTable {
 public:
  // Adds the launch that process `pid` calls `id` and gives it a number; the caller sets the rest.
  // Null when it is known already, or kMost are. The pointer is valid until the next add().
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

  // Drops the ids of a process: a new program in it, or a new process with its number, uses other
  // ids. The launches themselves stay.
  void forget(uint32_t pid) {
    numbers_.erase(numbers_.lower_bound({pid, 0}), numbers_.upper_bound({pid, UINT64_MAX}));
  }

 private:
  // Some 400 MB. Launches beyond it are counted as lost. A program that makes a new thread for each
  // launch reaches it.
  static constexpr size_t kMost = 1 << 20;

  std::vector<DistinctLaunch> launches_;                       // by number - 1
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_;  // by (pid, agent's id)
};

}  // namespace aiflame::record
