// SPDX-License-Identifier: MIT
// A queue of what is reported nearly in order. Times of runs are converted between clocks, which
// moves each by some ten nanoseconds, so neighbours change places. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>

namespace aiflame::record {

// Those of which neither comes before the other stay as they were added.
template <typename T, bool (*comes_before)(const T&, const T&)>
class OrderedQueue {
 public:
  void add(const T& item) {
    items_.push_back(item);
    if (!is_sorted_) return;
    auto at = std::prev(items_.end());
    for (int moves = 0; at != items_.begin() && comes_before(*at, *std::prev(at)); --at) {
      // a hostile agent may report all of them in the wrong order
      if (moves++ == kMostMoves) {
        is_sorted_ = false;
        return;
      }
      std::iter_swap(at, std::prev(at));
    }
  }
  // Before front(), if something was added.
  void sort() {
    if (!is_sorted_) std::stable_sort(items_.begin(), items_.end(), comes_before);
    is_sorted_ = true;
  }
  bool empty() const { return items_.empty(); }
  const T& front() const { return items_.front(); }
  void pop_front() { items_.pop_front(); }

 private:
  // Launches that do nothing are 10 ns apart.
  static constexpr int kMostMoves = 16;

  std::deque<T> items_;  // sorted unless is_sorted_ is false
  bool is_sorted_ = true;
};

}  // namespace aiflame::record
