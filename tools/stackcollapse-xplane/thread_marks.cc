// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/thread_marks.h"

#include <algorithm>
#include <tuple>

namespace aiflame::xplane {

void ThreadMarks::sort() {
  const auto earlier = [](const Mark& a, const Mark& b) {
    return std::tie(a.begin, b.end) < std::tie(b.begin, a.end);
  };
  // XLA's profiler writes them sorted
  if (!std::is_sorted(marks_.begin(), marks_.end(), earlier))
    std::stable_sort(marks_.begin(), marks_.end(), earlier);
}

DeepStack ThreadMarks::Walk::stack_at(int64_t time) {
  const auto close = [&](int64_t at) {
    while (!open_.empty() && open_.back().end <= at) open_.pop_back();
    known_ = std::min(known_, open_.size());
  };
  for (; next_ < marks_.size() && marks_[next_].begin <= time; ++next_) {
    close(marks_[next_].begin);
    open_.push_back({marks_[next_].end, marks_[next_].frame, {}});
  }
  close(time);
  for (; known_ < open_.size(); ++known_) {
    const DeepStack below = known_ == 0 ? DeepStack{} : open_[known_ - 1].stack;
    open_[known_].stack = below.on_top(open_[known_].frame, stacks_);
  }
  return open_.empty() ? DeepStack{} : open_.back().stack;
}

}  // namespace aiflame::xplane
