// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "libcommon/base/program.h"

namespace aiflame {

// Adds samples to a sum. Throws Error when the sum overflows: no sample is lost in silence.
inline void add_samples(uint64_t& sum, uint64_t more) {
  if (more > UINT64_MAX - sum) throw Error("more than 18446744073709551615 samples");
  sum += more;
}

// Adds losses to a sum. Beyond all numbers it is an unknown number: the greatest, and more.
inline void add_losses(uint64_t& sum, bool& more_unknown, uint64_t more) {
  more_unknown |= more > UINT64_MAX - sum;
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

// Adds to a total that stays at UINT64_MAX once it gets there: agents may claim any number. Such a
// total is shown as "at least".
inline void add_saturating(uint64_t& total, uint64_t more) {
  if (__builtin_add_overflow(total, more, &total)) total = UINT64_MAX;
}

}  // namespace aiflame
