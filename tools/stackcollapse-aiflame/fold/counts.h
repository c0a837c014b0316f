// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/base/sample_sum.h"

namespace aiflame::collapse {

// Sums of samples, by numbers that count from 0.
class Counts {
 public:
  void add(uint32_t number, uint64_t count) {
    if (number >= counts_.size()) counts_.resize(number + size_t{1});
    add_samples(counts_[number], count);
  }
  uint32_t size() const { return static_cast<uint32_t>(counts_.size()); }
  // 0 for a number that was never added to.
  uint64_t at(uint32_t number) const { return number < counts_.size() ? counts_[number] : 0; }
  uint64_t operator[](uint32_t number) const { return counts_[number]; }

 private:
  std::vector<uint64_t> counts_;
};

}  // namespace aiflame::collapse
