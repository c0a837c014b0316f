// SPDX-License-Identifier: MIT
// Counts of millions of frames, in four bytes each when every count fits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcommon/memory/growing_array.h"

namespace aiflame::svg {

class CountArray {
 public:
  // No count may be greater than `most`.
  explicit CountArray(uint64_t most = UINT64_MAX) : wide_(most > UINT32_MAX) {}

  uint64_t operator[](size_t i) const { return wide_ ? long_[i] : short_[i]; }
  void set(size_t i, uint64_t count) {
    if (wide_)
      long_[i] = count;
    else
      short_[i] = static_cast<uint32_t>(count);
  }
  void push_back(uint64_t count) {
    if (wide_)
      long_.push_back(count);
    else
      short_.push_back(static_cast<uint32_t>(count));
  }
  // Adds `more` counts, which are not yet set.
  void extend(size_t more) {
    if (wide_)
      long_.extend(more);
    else
      short_.extend(more);
  }
  size_t size() const { return wide_ ? long_.size() : short_.size(); }

 private:
  bool wide_;
  GrowingArray<uint32_t> short_;
  GrowingArray<uint64_t> long_;
};

}  // namespace aiflame::svg
