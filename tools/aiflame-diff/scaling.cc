// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/scaling.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace aiflame::diff {
namespace {

__extension__ using Product = unsigned __int128;

}  // namespace

uint64_t Scaling::floor(uint64_t count) const {
  return static_cast<uint64_t>(static_cast<Product>(count) * target_ / total_);
}

uint64_t Scaling::remainder(uint64_t count) const {
  return static_cast<uint64_t>(static_cast<Product>(count) * target_ % total_);
}

void Scaling::choose(const std::vector<uint64_t>& remainders) {
  chosen_.assign(remainders.size(), false);
  // The sum of the remainders is a multiple of the total, and each remainder is less than the
  // total. So fewer units are missing than there are remainders above 0.
  Product sum = 0;
  for (const uint64_t one : remainders) sum += one;
  const auto missing = static_cast<size_t>(sum / total_);
  if (missing == 0) return;
  std::vector<uint64_t> sorted = remainders;
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(missing - 1);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const uint64_t least = *last;
  size_t equal =
      missing - static_cast<size_t>(std::count_if(sorted.begin(), last + 1,
                                                  [&](uint64_t one) { return one > least; }));
  for (size_t place = 0; place < remainders.size(); ++place) {
    const bool tie = remainders[place] == least && equal > 0;
    if (tie) --equal;
    chosen_[place] = tie || remainders[place] > least;
  }
}

bool proportion(uint64_t before, uint64_t numerator, uint64_t by, uint64_t times, uint64_t& out) {
  const Product product = static_cast<Product>(before) * numerator;
  const Product divisor = static_cast<Product>(by) * times;
  const Product quotient = product / divisor;
  const Product rest = product % divisor;
  const Product rounded = quotient + (rest >= divisor - rest ? 1 : 0);
  if (rounded > UINT64_MAX) return false;
  out = static_cast<uint64_t>(rounded);
  return true;
}

}  // namespace aiflame::diff
