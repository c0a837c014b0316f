// SPDX-License-Identifier: MIT
// Counts in proportion, as whole numbers whose sum is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame::diff {

// Brings counts from one sum to another: each is rounded down, and what is then missing of the sum
// is given to the largest remainders, one unit each, the first in order where they are equal.
class Scaling {
 public:
  Scaling(uint64_t total, uint64_t target) : total_(total), target_(target) {}

  bool changes() const { return total_ != target_; }
  uint64_t target() const { return target_; }

  // count * target / total, rounded down, and what that leaves. The total is not 0.
  uint64_t floor(uint64_t count) const;
  uint64_t remainder(uint64_t count) const;

  // The remainders of all counts, in order: chooses those that get one unit more.
  void choose(const std::vector<uint64_t>& remainders);
  // The count at this place of the order, scaled; after choose().
  uint64_t scaled(size_t place, uint64_t count) const {
    return changes() ? floor(count) + (chosen_[place] ? 1 : 0) : count;
  }

 private:
  uint64_t total_, target_;
  std::vector<bool> chosen_;
};

// before * numerator / denominator, rounded half up; nothing when it does not fit 64 bits.
// denominator = `by` * `times`, neither of them 0.
bool proportion(uint64_t before, uint64_t numerator, uint64_t by, uint64_t times, uint64_t& out);

}  // namespace aiflame::diff
