// SPDX-License-Identifier: MIT
#include "libcommon/import/thread_ranges.h"

#include <algorithm>
#include <tuple>

namespace aiflame {

void ThreadRanges::sort() {
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return std::tie(a.thread, a.begin, b.end) < std::tie(b.thread, b.begin, a.end);
  });
}

uint32_t ThreadRanges::Walk::stack(uint64_t thread, uint64_t time, uint32_t below) {
  const auto end = all_.ranges_.end();
  if (!begun_ || thread != thread_) {
    begun_ = true;
    thread_ = thread;
    open_.clear();
    next_ = std::lower_bound(next_, end, thread,
                             [](const Range& a, uint64_t other) { return a.thread < other; });
  }
  std::erase_if(open_, [&](const Open& one) { return one.end <= time; });
  for (; next_ != end && next_->thread == thread && next_->begin <= time; ++next_)
    if (next_->end > time && open_.size() < kDeepest) open_.push_back({next_->end, next_->frame});
  for (const Open& one : open_) below = all_.stacks_.child(below, one.frame);
  return below;
}

}  // namespace aiflame
