// SPDX-License-Identifier: MIT
// Moments on CPU threads, and the stacks that the threads had then: NVTX ranges, call chain.
#pragma once

#include <cstdint>
#include <vector>

namespace aiflame::nsys {

// A call of the CUDA API, a CPU sample, or the creation of a node of a CUDA graph. There are
// millions, each of which takes 48 bytes.
struct HostCall {
  uint64_t thread = 0;  // globalTid
  uint64_t time = 0;    // ns
  uint64_t end = 0;     // ns; of a call
  int64_t id = 0;       // correlation id of a call, id of a node
  int64_t chain = 0;    // id of its call chain; 0: it has none
  uint32_t name = 0;    // frame of a call
  uint32_t stack = 0;   // where it stands
};

// Sorts by thread and time, as ThreadRanges needs it.
void sort_by_time(std::vector<HostCall>& calls);
// Whether a thread has one of the calls, which are sorted, in [begin, end).
bool any_between(const std::vector<HostCall>& calls, uint64_t thread, uint64_t begin, uint64_t end);

}  // namespace aiflame::nsys
