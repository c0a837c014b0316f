// SPDX-License-Identifier: MIT
// Millions of stacks in runs, each of which is in order and holds once what neighbours share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcommon/memory/growing_array.h"

namespace aiflame::svg {

// A stack is held as how many frames it shares with the one before it, and the names, by number, of
// the others: `a;b;c`, `a;b;d;e` as (0, a b c), (2, d e). Stacks come in the order of their names,
// as far as the numbers tell; one that is the beginning of others comes before them.
class StackRuns {
 public:
  struct Stack {
    uint64_t count;
    uint32_t shared;
    uint32_t depth;  // with the shared ones
  };
  struct Run {
    size_t first, last;  // its stacks
    size_t whole;        // the first of them in wholes_
  };
  // Every so many stacks of a run one has the names of the shared frames, too: a place where
  // reading can begin.
  static constexpr size_t kWhole = 128;

  const std::vector<Run>& runs() const { return runs_; }
  bool differential() const { return differential_; }
  // Of all stacks, those that are not shared.
  uint64_t frames() const { return frames_; }
  // How much memory they take.
  size_t bytes() const;

  // What is appended from here on is a run of its own.
  void begin_run();
  // To the last run. Its names, from the frame on that is returned, have the numbers
  // `names` … in the order they are given to append_names().
  uint32_t append(const Stack& stack, uint64_t before, size_t names);
  uint32_t* append_names(size_t count) { return names_.extend(count); }
  // The same at once. `names`, where given, has other numbers for those of the path.
  void append(std::span<const uint32_t> path, uint32_t shared, const uint32_t* names,
              uint64_t count, uint64_t before);
  // Sums of all counts.
  uint64_t total() const;
  uint64_t total_before() const;

  // Calls body(stack, names, before) for each stack of all runs, in order: `names` are those of the
  // frames it does not share.
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

  // Adds to the last stack's counts.
  void add(uint64_t count, uint64_t before);
  size_t names() const { return names_.size(); }

  void make_differential();
  void scale(uint64_t factor);

 private:
  friend class RunReader;

  bool differential_ = false;
  GrowingArray<Stack> stacks_;
  GrowingArray<uint64_t> before_;  // by stack, only of a differential
  GrowingArray<uint32_t> names_;
  uint64_t frames_ = 0;
  GrowingArray<size_t> wholes_;  // where the names begin of every kWhole-th of a run
  std::vector<Run> runs_;
};

// The stacks of a run, one after the other.
class RunReader {
 public:
  // `places`, where given, has other numbers for the names.
  RunReader(const StackRuns& runs, const StackRuns::Run& run, const uint32_t* places = nullptr)
      : runs_(&runs), run_(run), places_(places) {
    seek(0);
  }

  // How many stacks the run has.
  size_t size() const { return run_.last - run_.first; }
  // The stack that next() goes to, by its number in the run.
  void seek(size_t stack);
  // next() ends in front of this one.
  void stop_at(size_t stack) { last_ = run_.first + stack; }
  // The number of the first stack that is not less than `path`.
  size_t lower_bound(std::span<const uint32_t> path);

  bool next();
  std::span<const uint32_t> path() const { return {path_.data(), depth_}; }
  // With the stack before.
  uint32_t shared() const { return shared_; }
  uint64_t count() const { return runs_->stacks_[at_ - 1].count; }
  uint64_t before() const { return runs_->differential_ ? runs_->before_[at_ - 1] : count(); }

 private:
  const StackRuns* runs_;
  StackRuns::Run run_;
  const uint32_t* places_;
  size_t at_ = 0, last_ = 0, names_at_ = 0;
  std::vector<uint32_t> path_;  // at least depth_
  uint32_t depth_ = 0, shared_ = 0;
};

}  // namespace aiflame::svg
