// SPDX-License-Identifier: MIT
// Which slice stands on which. On a thread, a slice stands on the one that begins before it and
// ends after its beginning:
//
//   |-- train.py: step ---------------------------|
//        |-- aten::linear ----------|  |-- aten::relu --|
//            |-- aten::addmm --|
//                |- launch -|
//
// So the launch's stack is itself and its parents. Where a Python function outlasts the one that
// began before it, as clocks or generators make it, PyTorch's "Python parent id" says who has
// called it. Elsewhere it says nothing more: where the profiler has missed a call it names a caller
// further out, while the times are right (145 of the 17038 calls of a genuine vLLM trace). On
// another thread it names what run_backward() called, which HostStacks finds by time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// What becomes of stacks with kTruncated, in words.
inline constexpr std::string_view kDeeper = "on stacks of more than 2048 frames";

class Nesting {
 public:
  // A deeper slice is nobody's parent: hostile traces must not make us slow. Its stack is that of
  // the first 2048, kTruncated if others are between, and itself.
  static constexpr uint32_t kMaxDepth = 2048;

  // Sorts the slices by thread and time, and finds their parents. Numbers of slices are valid from
  // then on.
  explicit Nesting(Trace& trace);

  // The innermost slice of a thread at a time, or kNoNumber.
  uint32_t innermost(uint32_t thread, int64_t time) const;
  // When the first slice of a thread begins after a time; INT64_MAX: none does.
  int64_t next_start(uint32_t thread, int64_t time) const;
  // The slices of a thread: [begin, end) of trace.slices.
  uint32_t begin_of(uint32_t thread) const { return begins_[thread]; }
  uint32_t end_of(uint32_t thread) const { return begins_[thread + 1]; }
  // The stack of a slice at a time, outermost first, itself included, appended to `out`. Slices
  // that overlap their parent stand on it only while both last.
  void stack_at(uint32_t slice, int64_t time, std::vector<uint32_t>& out) const;

 private:
  void find_parents(uint32_t thread);
  // The first slice of a thread that begins after a time.
  uint32_t after(uint32_t thread, int64_t time) const;

  Trace& trace_;
  std::vector<uint32_t> begins_;  // by thread, in trace_.slices
};

}  // namespace aiflame::trace
