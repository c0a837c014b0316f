// SPDX-License-Identifier: MIT
// Reads the stacks of one run in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/aiflame-svg/merge/stack_runs.h"

namespace aiflame::svg {

class RunReader {
 public:
  // `places`, if not null, translates the numbers of names.
  RunReader(const StackRuns& runs, const StackRuns::Run& run, const uint32_t* places = nullptr)
      : runs_(&runs), run_(run), places_(places) {
    seek(0);
  }

  // The number of stacks in the run.
  size_t size() const { return run_.last - run_.first; }
  // Makes the next call of next() read this stack, counted from the start of the run.
  void seek(size_t stack);
  // Makes next() return false at this stack.
  void stop_at(size_t stack) { last_ = run_.first + stack; }
  // The number of the first stack that is not less than `path`.
  size_t lower_bound(std::span<const uint32_t> path);

  [[nodiscard]] bool next();
  // Reads this stack, counted from the start of the run; the run has it.
  void read(size_t stack);
  std::span<const uint32_t> path() const { return {path_.data(), depth_}; }
  // How many frames it has in common with the previous stack.
  uint32_t shared() const { return shared_; }
  uint64_t count() const { return runs_->stacks_[at_ - 1].count; }
  uint64_t before() const { return runs_->differential_ ? runs_->before_[at_ - 1] : count(); }

 private:
  void take();

  const StackRuns* runs_;
  StackRuns::Run run_;
  const uint32_t* places_;
  size_t at_ = 0, last_ = 0, names_at_ = 0;
  std::vector<uint32_t> path_;  // at least depth_ long
  uint32_t depth_ = 0, shared_ = 0;
};

}  // namespace aiflame::svg
