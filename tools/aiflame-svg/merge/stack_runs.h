// SPDX-License-Identifier: MIT
// Millions of stacks as sorted runs. The top of stack_sorter.cc explains the format and its use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcommon/memory/growing_array.h"

namespace aiflame::svg {

// Holds each stack as the number of frames that it shares with the previous stack, and the names of
// its other frames, as numbers: `a;b;c`, `a;b;d;e` become (0, a b c), (2, d e). A stack that is the
// beginning of other stacks comes before them.
class StackRuns {
 public:
  struct Stack {
    uint64_t count;
    uint32_t shared;  // frames in common with the previous stack
    uint32_t depth;   // all frames, the shared ones too
  };
  struct Run {
    size_t first, last;  // its stacks
    size_t whole;        // its first entry in wholes_
  };
  // Every kWhole-th stack of a run also has the names of its shared frames, so that reading can
  // start there.
  static constexpr size_t kWhole = 128;

  const std::vector<Run>& runs() const { return runs_; }
  bool differential() const { return differential_; }
  // The frames of all stacks, without the shared ones.
  uint64_t frames() const { return frames_; }
  // The memory that the stacks take.
  size_t bytes() const;

  // Later stacks are appended to a new run.
  void begin_run();
  // Appends a stack to the last run. Its names, from the returned frame on, have the numbers
  // `names`, `names` + 1 …, in the order in which append_names() gets them.
  uint32_t append(const Stack& stack, uint64_t before, size_t names);
  uint32_t* append_names(size_t count) { return names_.extend(count); }
  // Appends a stack with its names. `names`, if not null, translates the numbers in `path`.
  void append(std::span<const uint32_t> path, uint32_t shared, const uint32_t* names,
              uint64_t count, uint64_t before);
  // Sums of all counts.
  uint64_t total() const;
  uint64_t total_before() const;

  // Calls body(stack, names, before) for each stack of all runs, in order. `names` are those of the
  // frames that the stack does not share.
  template <typename Body>
  void each(Body body) const {
    const uint32_t* names = names_.begin();
    for (const Run& run : runs_) {
      for (size_t i = run.first; i < run.last; ++i) {
        const Stack& stack = stacks_[i];
        if ((i - run.first) % kWhole == 0) names += stack.shared;
        body(stack, names, differential_ ? before_[i] : stack.count);
        names += stack.depth - stack.shared;
      }
    }
  }

  // Adds to the counts of the last stack.
  void add(uint64_t count, uint64_t before);
  size_t names() const { return names_.size(); }

  void make_differential();
  void scale(uint64_t factor);

 private:
  friend class RunReader;

  bool differential_ = false;
  GrowingArray<Stack> stacks_;
  GrowingArray<uint64_t> before_;  // by stack, only in a differential
  GrowingArray<uint32_t> names_;
  uint64_t frames_ = 0;
  GrowingArray<size_t> wholes_;  // where the names of every kWhole-th stack of a run begin
  std::vector<Run> runs_;
};

}  // namespace aiflame::svg
