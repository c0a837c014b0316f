// SPDX-License-Identifier: MIT
// The sum of counts with decimals.
#pragma once

#include <cstdint>

#include "libcommon/base/count.h"

namespace aiflame {

// Sums counts in the unit of the finest count so far.
class CountSum {
 public:
  // False, and nothing is added, when the sum would not fit 64 bits.
  [[nodiscard]] bool add(const Count& count);
  [[nodiscard]] bool widen_to(unsigned decimals);

  uint64_t value() const { return sum_.value; }
  unsigned decimals() const { return sum_.decimals; }

 private:
  Count sum_;
};

inline constexpr const char* kCountsTooLarge = "the counts are too large to be added in 64 bits";

}  // namespace aiflame
