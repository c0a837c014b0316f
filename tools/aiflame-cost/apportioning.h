// SPDX-License-Identifier: MIT
// Spreads an amount over times in their order, in whole numbers that add up to it.
#pragma once

#include <cstdint>

namespace aiflame::cost {

// Each time gets what the running sum, times amount / whole, has grown by in whole numbers. So a
// share is less than one count off, and what one stack is short another one gets: a tower of many
// small stacks is as wide as it costs. It takes one pass and no memory, which the largest remainder
// would not.
class Apportioning {
 public:
  // `whole` is the sum of all times, and not 0.
  Apportioning(uint64_t amount, uint64_t whole) : amount_(amount), whole_(whole) {}

  uint64_t next(uint64_t time) {
    times_ += time;
    const uint64_t before = given_;
    given_ = static_cast<uint64_t>(static_cast<Product>(times_) * amount_ / whole_);
    return given_ - before;
  }

 private:
  __extension__ using Product = unsigned __int128;

  uint64_t amount_, whole_;
  uint64_t times_ = 0, given_ = 0;
};

}  // namespace aiflame::cost
