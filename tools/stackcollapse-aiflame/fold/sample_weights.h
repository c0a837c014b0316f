// SPDX-License-Identifier: MIT
// What the counted samples of an event weigh: whether their periods were recorded, and whether all
// weigh the same.
#pragma once

#include <algorithm>
#include <cstdint>

namespace aiflame::collapse {

class SampleWeights {
 public:
  void add(uint64_t weight) {
    least_ = std::min(least_, weight);
    most_ = std::max(most_, weight);
  }
  // The same for a sample whose input tells no period.
  void add_plain() { plain_ = true; }
  void absorb(const SampleWeights& part) {
    least_ = std::min(least_, part.least_);
    most_ = std::max(most_, part.most_);
    plain_ |= part.plain_;
  }

  // Whether some samples have a period, and some have none and count as one.
  bool has_periods() const { return most_ > 0; }
  bool has_plain() const { return plain_; }
  // The period of all samples; 0 where it varies.
  uint64_t common() const { return least_ == most_ && !plain_ ? most_ : 0; }

 private:
  uint64_t least_ = UINT64_MAX, most_ = 0;
  bool plain_ = false;
};

}  // namespace aiflame::collapse
