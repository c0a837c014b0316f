// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/merge/stack_runs.h"

#include <algorithm>
#include <numeric>

namespace aiflame::svg {

size_t StackRuns::bytes() const {
  return stacks_.size() * sizeof(Stack) + before_.size() * sizeof(uint64_t) +
         names_.size() * sizeof(uint32_t) + wholes_.size() * sizeof(size_t);
}

void StackRuns::begin_run() {
  runs_.push_back({stacks_.size(), stacks_.size(), wholes_.size()});
}

uint32_t StackRuns::append(const Stack& stack, uint64_t before, size_t names) {
  Run& run = runs_.back();
  const bool whole = (run.last - run.first) % kWhole == 0;
  if (whole) wholes_.push_back(names);
  stacks_.push_back(stack);
  frames_ += stack.depth - stack.shared;
  if (differential_) before_.push_back(before);
  run.last = stacks_.size();
  return whole ? 0 : stack.shared;
}

void StackRuns::append(std::span<const uint32_t> path, uint32_t shared, const uint32_t* names,
                       uint64_t count, uint64_t before) {
  const uint32_t from =
      append({count, shared, static_cast<uint32_t>(path.size())}, before, names_.size());
  uint32_t* out = names_.extend(path.size() - from);
  if (names == nullptr)
    std::copy(path.begin() + from, path.end(), out);
  else
    std::transform(path.begin() + from, path.end(), out, [names](uint32_t i) { return names[i]; });
}

uint64_t StackRuns::total() const {
  return std::accumulate(stacks_.begin(), stacks_.end(), uint64_t{0},
                         [](uint64_t sum, const Stack& stack) { return sum + stack.count; });
}

uint64_t StackRuns::total_before() const {
  return differential_ ? std::accumulate(before_.begin(), before_.end(), uint64_t{0}) : total();
}

void StackRuns::add(uint64_t count, uint64_t before) {
  stacks_.back().count += count;
  if (differential_) before_.back() += before;
}

void StackRuns::make_differential() {
  if (differential_) return;
  differential_ = true;
  for (const Stack& stack : stacks_) before_.push_back(stack.count);
}

void StackRuns::scale(uint64_t factor) {
  for (Stack& stack : stacks_) stack.count *= factor;
  for (uint64_t& before : before_) before *= factor;
}

}  // namespace aiflame::svg
