// SPDX-License-Identifier: MIT
#include "libcommon/import/range_instances.h"

#include <algorithm>
#include <tuple>

namespace aiflame {

void RangeInstances::finish() {
  std::stable_sort(all_.begin(), all_.end(), [](const RangeInstance& a, const RangeInstance& b) {
    return std::tie(a.thread, a.begin, b.end) < std::tie(b.thread, b.begin, a.end);
  });
  // of those that are left, both begins and ends grow on a thread
  size_t kept = 0;
  for (const RangeInstance& one : all_) {
    const bool is_first = kept == 0 || all_[kept - 1].thread != one.thread;
    if (is_first || one.end > all_[kept - 1].end) all_[kept++] = one;
  }
  all_.resize(kept);
  std::vector<size_t> by_begin(kept);
  for (size_t i = 0; i < kept; ++i) by_begin[i] = i;
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) {
    return std::tie(all_[a].process, all_[a].begin) < std::tie(all_[b].process, all_[b].begin);
  });
  uint64_t number = 0;
  for (size_t i = 0; i < kept; ++i) {
    if (i > 0 && all_[by_begin[i]].process != all_[by_begin[i - 1]].process) number = 0;
    all_[by_begin[i]].number = ++number;
  }
}

const RangeInstance* RangeInstances::first_that_ends_after(uint64_t thread, int64_t time) const {
  const auto at =
      std::upper_bound(all_.begin(), all_.end(), std::pair(thread, time),
                       [](const std::pair<uint64_t, int64_t>& wanted, const RangeInstance& other) {
                         return wanted < std::pair(other.thread, other.end);
                       });
  return at == all_.end() || at->thread != thread ? nullptr : &*at;
}

const RangeInstance* RangeInstances::find(uint64_t thread, int64_t time) const {
  const RangeInstance* one = first_that_ends_after(thread, time);
  return one == nullptr || one->begin > time ? nullptr : one;
}

bool RangeInstances::has(uint64_t thread, int64_t begin, int64_t end, uint32_t key) const {
  // ends are at least the minimum of int64_t and one, for what has a duration
  const RangeInstance* one = end == INT64_MIN ? nullptr : first_that_ends_after(thread, end - 1);
  return one != nullptr && one->begin == begin && one->end == end && one->key == key;
}

}  // namespace aiflame
