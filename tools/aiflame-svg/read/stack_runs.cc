// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/stack_runs.h"

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

void RunReader::seek(size_t stack) {
  last_ = run_.last;
  depth_ = 0;
  const size_t whole = stack / StackRuns::kWhole;
  at_ = run_.first + whole * StackRuns::kWhole;
  names_at_ = at_ < last_ ? runs_->wholes_[run_.whole + whole] : 0;
  while (at_ < std::min(run_.first + stack, last_)) next();
}

size_t RunReader::lower_bound(std::span<const uint32_t> path) {
  const auto less = [&](std::span<const uint32_t> own) {
    return std::lexicographical_compare(own.begin(), own.end(), path.begin(), path.end());
  };
  // the last whole one that is less; what is looked for comes before the next
  size_t low = 0, high = (size() + StackRuns::kWhole - 1) / StackRuns::kWhole;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    seek(middle * StackRuns::kWhole);
    next();
    if (less(this->path()))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return 0;
  seek((low - 1) * StackRuns::kWhole);
  size_t stack = (low - 1) * StackRuns::kWhole;
  while (next() && less(this->path())) ++stack;
  return stack;
}

bool RunReader::next() {
  if (at_ >= last_) return false;
  const StackRuns::Stack& stack = runs_->stacks_[at_];
  const bool whole = (at_ - run_.first) % StackRuns::kWhole == 0;
  ++at_;
  shared_ = stack.shared;
  depth_ = stack.depth;
  if (path_.size() < depth_) path_.resize(std::max<size_t>(depth_, 2 * path_.size()));
  const uint32_t from = whole ? 0 : shared_;
  const uint32_t* begin = runs_->names_.begin() + names_at_;
  const uint32_t* end = begin + (depth_ - from);
  if (places_ == nullptr)
    std::copy(begin, end, path_.begin() + from);
  else
    std::transform(begin, end, path_.begin() + from, [this](uint32_t i) { return places_[i]; });
  names_at_ += depth_ - from;
  // Hundreds of runs are read in turn, more than a processor foresees by itself. The names of a
  // stack lie in one or two lines of 64 bytes.
  __builtin_prefetch(&stack + 2);
  __builtin_prefetch(end);
  __builtin_prefetch(end + 16);
  return true;
}

}  // namespace aiflame::svg
