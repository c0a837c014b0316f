// SPDX-License-Identifier: MIT
// Where slices begin and end. Samples that have times of their own are put into slices of one
// length; of those that only say in which read they came, the reads are the slices, or the launches
// of a slice would be compared with samples of the one before. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace aiflame::record {

class SliceBounds {
 public:
  // Slice k is [origin + k * interval, origin + (k + 1) * interval). `interval` 0: slices end where
  // they are cut.
  SliceBounds(uint64_t origin, uint64_t interval) : origin_(origin), interval_(interval) {}

  bool by_cuts() const { return interval_ == 0; }

  // What is at `time` or later belongs to the next slice. Does nothing where slices have a length.
  void cut(uint64_t time) {
    if (by_cuts() && time > last()) ends_.push_back(time);
  }

  uint64_t index(uint64_t time) const {
    if (!by_cuts()) return time < origin_ ? 0 : (time - origin_) / interval_;
    const auto later = std::upper_bound(ends_.begin(), ends_.end(), time);
    return first_ + static_cast<uint64_t>(later - ends_.begin());
  }

  uint64_t start(uint64_t index) const {
    if (!by_cuts()) return origin_ + index * interval_;
    if (index <= first_) return origin_;
    return index - first_ > ends_.size() ? last() : ends_[index - first_ - 1];
  }

  // UINT64_MAX of the slice that is not cut yet.
  uint64_t end(uint64_t index) const {
    if (!by_cuts()) return origin_ + (index + 1) * interval_;
    if (index < first_) return origin_;
    return index - first_ < ends_.size() ? ends_[index - first_] : UINT64_MAX;
  }

  // Slices below `index` are not asked for any more.
  void forget(uint64_t index) {
    for (; by_cuts() && first_ < index && !ends_.empty(); ++first_) {
      origin_ = ends_.front();
      ends_.pop_front();
    }
  }

 private:
  uint64_t last() const { return ends_.empty() ? origin_ : ends_.back(); }

  uint64_t origin_;  // of slice first_, where they are cut
  const uint64_t interval_;
  uint64_t first_ = 0;
  std::deque<uint64_t> ends_;  // of the slices from first_ on
};

}  // namespace aiflame::record
