// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/merge/run_reader.h"

#include <algorithm>

namespace aiflame::svg {

void RunReader::seek(size_t stack) {
  last_ = run_.last;
  depth_ = 0;
  const size_t whole = stack / StackRuns::kWhole;
  at_ = run_.first + whole * StackRuns::kWhole;
  names_at_ = at_ < last_ ? runs_->wholes_[run_.whole + whole] : 0;
  while (at_ < std::min(run_.first + stack, last_)) take();
}

size_t RunReader::lower_bound(std::span<const uint32_t> path) {
  const auto less = [&](std::span<const uint32_t> own) {
    return std::lexicographical_compare(own.begin(), own.end(), path.begin(), path.end());
  };
  // Find the last restart point that is less than `path`. The wanted stack lies between it and the
  // next restart point.
  size_t low = 0, high = (size() + StackRuns::kWhole - 1) / StackRuns::kWhole;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    read(middle * StackRuns::kWhole);
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

void RunReader::read(size_t stack) {
  seek(stack);
  if (at_ < last_) take();
}

bool RunReader::next() {
  if (at_ >= last_) return false;
  take();
  return true;
}

void RunReader::take() {
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
  // Hundreds of runs are read in turn, more streams than a processor prefetches by itself. The
  // names of a stack take one or two cache lines of 64 bytes. The places may lie beyond the end, or
  // there may be none, so they are not computed as pointers.
  const auto prefetch = [](const void* at, size_t beyond) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(at) + beyond));
  };
  prefetch(&stack, 2 * sizeof stack);
  prefetch(end, 0);
  prefetch(end, 64);
}

}  // namespace aiflame::svg
