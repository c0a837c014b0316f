// SPDX-License-Identifier: MIT
#include "libcommon/attribution/launch_timeline.h"

#include <algorithm>
#include <iterator>

namespace aiflame {

LaunchTimeline::LaunchTimeline(size_t max_counts) : max_counts_(std::max<size_t>(max_counts, 16)) {}

void LaunchTimeline::add(int64_t pid, uint32_t kernel, uint32_t stack, uint32_t thread,
                         std::optional<uint64_t> time) {
  const auto bits = static_cast<uint64_t>(pid);
  const uint32_t key[] = {static_cast<uint32_t>(bits),
                          static_cast<uint32_t>(bits >> 32),
                          kernel,
                          stack,
                          thread,
                          time ? 1U : 0U};
  const uint32_t number = keys_.number(key, std::size(key));
  if (number == launches_.size()) {
    launches_.push_back({pid, kernel, stack, thread, 0});
    if (!time) untimed_.push_back(number);
  }
  ++launches_[number].count;
  if (!time) return;
  const uint64_t step = *time / width_;
  if (counts_.size() > compacted_ && counts_.back().step == step &&
      counts_.back().launch == number && counts_.back().count < UINT32_MAX) {
    ++counts_.back().count;
    return;
  }
  counts_.push_back({step, number, 1});
  if (counts_.size() >= std::min(2 * compacted_ + 65536, max_counts_)) compact();
}

// Sorts the counts by time and joins those of the same launch and step. Doubles the steps' length
// until the counts take at most half of max_counts_.
void LaunchTimeline::compact() {
  for (;;) {
    std::sort(counts_.begin(), counts_.end(), [](const Count& a, const Count& b) {
      return a.step != b.step ? a.step < b.step : a.launch < b.launch;
    });
    size_t kept = 0;
    for (const Count& count : counts_) {
      Count* last = kept > 0 ? &counts_[kept - 1] : nullptr;
      if (last != nullptr && last->step == count.step && last->launch == count.launch)
        last->count =
            count.count > UINT32_MAX - last->count ? UINT32_MAX : last->count + count.count;
      else
        counts_[kept++] = count;
    }
    counts_.resize(kept);
    if (kept <= max_counts_ / 2 || width_ > UINT64_MAX / 4) break;
    width_ *= 2;
    for (Count& count : counts_) count.step /= 2;
  }
  compacted_ = counts_.size();
}

void LaunchTimeline::each(uint64_t from, uint64_t to, const Body& body) {
  if (counts_.size() > compacted_) compact();
  if (to <= from) return;
  const uint64_t last = (to - 1) / width_;
  auto at = std::lower_bound(counts_.begin(), counts_.end(), from / width_,
                             [](const Count& count, uint64_t step) { return count.step < step; });
  for (; at != counts_.end() && at->step <= last; ++at) body(at->launch, at->count);
}

}  // namespace aiflame
