// SPDX-License-Identifier: MIT
// Where slices begin and end. Samples with times of their own go into slices of equal length. When
// the samples only have the time of the read that brought them, each read is a slice: otherwise a
// slice's launches would meet samples that belong to the previous slice. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace aiflame::record {

class SliceBounds {
 public:
  // Slice k is [origin + k * interval, origin + (k + 1) * interval). With `interval` 0, slices end
  // at the times that are given to cut().
  SliceBounds(uint64_t origin, uint64_t interval) : origin_(origin), interval_(interval) {}

  bool are_cut() const { return interval_ == 0; }

  // Ends a slice: samples and launches at `time` or later belong to the next one. Does nothing with
  // an interval.
  void cut(uint64_t time) {
    if (are_cut() && time > last() && ends_.size() < kMaxEnds) ends_.push_back(time);
  }

  uint64_t index(uint64_t time) const {
    if (!are_cut()) return time < origin_ ? 0 : (time - origin_) / interval_;
    const auto later = std::upper_bound(ends_.begin(), ends_.end(), time);
    return first_ + static_cast<uint64_t>(later - ends_.begin());
  }

  uint64_t start(uint64_t index) const {
    if (!are_cut()) return origin_ + index * interval_;
    if (index <= first_) return origin_;
    return index - first_ > ends_.size() ? last() : ends_[index - first_ - 1];
  }

  // UINT64_MAX for the last slice, which no cut has ended yet.
  uint64_t end(uint64_t index) const {
    if (!are_cut()) return origin_ + (index + 1) * interval_;
    if (index < first_) return origin_;
    return index - first_ < ends_.size() ? ends_[index - first_] : UINT64_MAX;
  }

  // Drops the bounds of slices below `index`, which are not needed any more.
  void forget(uint64_t index) {
    for (; are_cut() && first_ < index && !ends_.empty(); ++first_) {
      origin_ = ends_.front();
      ends_.pop_front();
    }
  }

 private:
  // Bounds that are kept while slices are held back: 40 minutes of the default interval. Beyond it,
  // slices become longer. A hostile agent could cut one each nanosecond.
  static constexpr size_t kMaxEnds = 1 << 18;

  uint64_t last() const { return ends_.empty() ? origin_ : ends_.back(); }

  uint64_t origin_;  // start of slice 0, or of slice first_ when slices are cut
  const uint64_t interval_;
  uint64_t first_ = 0;
  std::deque<uint64_t> ends_;  // of slice first_ and the following ones
};

}  // namespace aiflame::record
