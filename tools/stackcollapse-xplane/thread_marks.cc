// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/thread_marks.h"

#include <algorithm>
#include <tuple>

#include "tools/stackcollapse-xplane/host_frames.h"

namespace aiflame::xplane {

void ThreadMarks::sort() {
  const auto earlier = [](const Mark& a, const Mark& b) {
    return std::tie(a.begin, b.end) < std::tie(b.begin, a.end);
  };
  // XLA's profiler writes them sorted
  if (!std::is_sorted(marks_.begin(), marks_.end(), earlier))
    std::stable_sort(marks_.begin(), marks_.end(), earlier);
}

uint32_t ThreadMarks::Walk::stack_at(int64_t time) {
  const auto close = [&](int64_t at) {
    while (!open_.empty() && open_.back().end <= at) open_.pop_back();
    known_ = std::min(known_, open_.size());
  };
  for (; next_ < marks_.size() && marks_[next_].begin <= time; ++next_) {
    close(marks_[next_].begin);
    open_.push_back({marks_[next_].end, marks_[next_].frame, ImportedStacks::kEmpty});
  }
  close(time);
  for (; known_ < open_.size(); ++known_) {
    const uint32_t below = known_ == 0 ? uint32_t{ImportedStacks::kEmpty} : open_[known_ - 1].stack;
    open_[known_].stack = known_ < kDeepest ? stacks_.child(below, open_[known_].frame) : below;
  }
  return open_.empty() ? uint32_t{ImportedStacks::kEmpty} : open_.back().stack;
}

}  // namespace aiflame::xplane
