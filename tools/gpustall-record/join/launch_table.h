// SPDX-License-Identifier: MIT
// The distinct launches of a recording. Launches by the same thread, of the same kernel, from the
// same CPU stack are one distinct launch: its stack is written once, and launches are counted. So
// are copies and fills, which are launches of an operation, and calls that wait for the device or
// allocate its memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "libcommon/timeline/work_class.h"

namespace aiflame::record {

struct DistinctLaunch {
  uint32_t number = 0, pid = 0, tid = 0, device = 0, kernel = 0;
  uint64_t time = 0;     // of the first one
  uint64_t address = 0;  // of the kernel, when the agent reported the kernel's object; else 0
  std::string object;    // path of that object
  std::string comm;
  std::vector<const GpustallFrame*> stack;  // owned by a StackNamer
  std::set<uint64_t> written;   // the kernel addresses it has been written with; 0 = without one
  bool is_counted = false;      // in CaptureTotals::stacks
  bool is_code_untold = false;  // its kernel may be none of those of this name whose code is told
  uint64_t bytes = 0;           // of its process's budget, see LaunchTable::cost()
  std::vector<uint32_t> sizes;  // its first kMaxSizes, in LaunchSizes
  uint32_t size_written = 0;    // the size in the output, 0 = unknown
  enum class What : uint8_t { kernel, operation, call, allocation } what = What::kernel;
  WorkClass work_class = WorkClass::computation;  // not of a wait
  // A call has the CPU stack alone.
  bool has_kernel() const { return what == What::kernel || what == What::operation; }

  // A program whose every launch has another size would write a line for each of them: the sizes
  // beyond these are recorded as unknown.
  static constexpr size_t kMaxSizes = 64;
  // The size to record a launch of `size` with.
  uint32_t admit(uint32_t size) {
    if (size == 0 || std::find(sizes.begin(), sizes.end(), size) != sizes.end()) return size;
    if (sizes.size() >= kMaxSizes) return 0;
    sizes.push_back(size);
    return size;
  }
};

class LaunchTable {
 public:
  // What a launch with `frames` frames takes in memory, with its entries in the tables.
  static uint64_t cost(size_t frames) { return 736 + 8 * frames; }

  // Adds the launch that process `pid` calls `id` and gives it a number; the caller sets the rest.
  // Null when it is known already.
  DistinctLaunch* add(uint32_t pid, uint64_t id) {
    uint32_t& number = numbers_[{pid, id}];
    if (number != 0) return nullptr;
    launches_.push_back(std::make_unique<DistinctLaunch>());
    number = static_cast<uint32_t>(launches_.size());
    DistinctLaunch& launch = *launches_.back();
    launch.number = number;
    launch.pid = pid;
    return &launch;
  }
  DistinctLaunch* find(uint32_t pid, uint64_t id) {
    const auto known = numbers_.find({pid, id});
    return known == numbers_.end() ? nullptr : launches_[known->second - 1].get();
  }
  bool has(uint32_t number) const { return launches_[number - 1] != nullptr; }
  // Not for a launch that was removed.
  DistinctLaunch& at(uint32_t number) { return *launches_[number - 1]; }

  // Drops the ids of a process: a new program in it, or a new process with its number, uses other
  // ids. The launches themselves stay until they are removed. Returns their numbers.
  std::vector<uint32_t> forget(uint32_t pid) {
    std::vector<uint32_t> numbers;
    const auto first = numbers_.lower_bound({pid, 0});
    const auto last = numbers_.upper_bound({pid, UINT64_MAX});
    for (auto at = first; at != last; ++at) numbers.push_back(at->second);
    numbers_.erase(first, last);
    return numbers;
  }
  // Its process has ended, and nothing will be written of it any more. Its number is not used
  // again.
  void remove(uint32_t number) { launches_[number - 1].reset(); }

 private:
  std::vector<std::unique_ptr<DistinctLaunch>> launches_;      // by number - 1
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_;  // by (pid, agent's id)
};

}  // namespace aiflame::record
