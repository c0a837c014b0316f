// SPDX-License-Identifier: MIT
// Scales counts to whole numbers whose sum is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame::diff {

// Scales counts from one sum to another by largest remainder. Each count is rounded down. What the
// sum then lacks goes to the counts with the largest remainders, one unit each, the first in order
// among equals.
class Scaling {
 public:
  Scaling(uint64_t total, uint64_t target) : total_(total), target_(target) {}

  bool changes() const { return total_ != target_; }
  uint64_t target() const { return target_; }

  // count * target / total, rounded down, and its remainder. The total is not 0.
  uint64_t floor(uint64_t count) const;
  uint64_t remainder(uint64_t count) const;

  // Chooses the counts that get one unit more, by the remainders of all counts in order.
  void choose(const std::vector<uint64_t>& remainders);
  // The scaled count at a place in that order. To be called after choose().
  uint64_t scaled(size_t place, uint64_t count) const {
    return changes() ? floor(count) + (chosen_[place] ? 1 : 0) : count;
  }

 private:
  uint64_t total_, target_;
  std::vector<bool> chosen_;
};

// Puts before * numerator / (by * times), rounded half up, into `out`. False when it does not fit
// 64 bits. Neither `by` nor `times` is 0.
[[nodiscard]] bool proportion(uint64_t before, uint64_t numerator, uint64_t by, uint64_t times,
                              uint64_t& out);

}  // namespace aiflame::diff
