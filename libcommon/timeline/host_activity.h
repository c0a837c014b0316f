// SPDX-License-Identifier: MIT
// What the threads of a program did at each moment, from the calls of a runtime, the ranges and the
// CPU samples that a profiler has recorded of them. A call says most, then a sample, then ranges. A
// trace with operators and functions nests, and is asked directly; here calls and ranges may end in
// any order.
//
//   range  |== step ======================================|
//   calls        |cudaLaunchKernel|     |cudaStreamSynchronize|
//   what   |range|call            |range|call             |range|
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/timeline/idle_causes.h"

namespace aiflame {

class HostActivity {
 public:
  explicit HostActivity(ImportedStacks& stacks) : stacks_(stacks) {}

  // A call: `stack` is its whole stack. HostPhase of its name.
  void add_call(uint64_t thread, int64_t begin, int64_t end, HostPhase phase, uint32_t stack);
  // What a CPU sample stands for: `stack` is its whole stack.
  void add_sample(uint64_t thread, int64_t begin, int64_t end, uint32_t stack);
  // A range: a frame on the thread's root and the ranges around it; kNoFrame: the stack has it
  // elsewhere.
  static constexpr uint32_t kNoFrame = UINT32_MAX;
  void add_range(uint64_t thread, int64_t begin, int64_t end, uint32_t frame);
  // All are added. `root_of`: the stack on which the ranges of a thread stand.
  void finish(const std::function<uint32_t(uint64_t thread)>& root_of);

  // HostMoment::what is a stack. `main`: the thread that counts while `thread` has nothing open.
  HostMoment at(uint64_t thread, uint64_t main, int64_t time) const;
  // From the first begin to the last end of a thread; 0 to 0 for an unknown thread.
  std::pair<int64_t, int64_t> extent(uint64_t thread) const;

 private:
  struct Span {
    uint64_t thread;
    int64_t begin, end;
    uint32_t stack;  // of a range its frame
    HostPhase phase;
    bool is_range;
  };
  // What is open from a time on, until the next piece of the thread.
  struct Piece {
    uint64_t thread;
    int64_t begin;
    uint32_t stack;
    HostPhase phase;
  };
  class Open;
  void cut(const Span* begin, const Span* end, uint32_t root);
  HostMoment of_thread(uint64_t thread, int64_t time) const;

  ImportedStacks& stacks_;
  std::vector<Span> spans_;
  std::vector<Piece> pieces_;  // by thread and time
};

}  // namespace aiflame
