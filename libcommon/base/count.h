// SPDX-License-Identifier: MIT
// Counts of folded text. They are whole numbers as a rule; fractions (`12.5`, of a profile in
// milliseconds) are kept exactly, as whole numbers of a common decimal unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// value / 10^decimals
struct Count {
  uint64_t value = 0;
  unsigned decimals = 0;
};

// More decimals are rounded, half up. Six leave 18 446 744 073 709 for the sum of a file.
inline constexpr unsigned kMaxDecimals = 6;

// `123`, `123.5`, `34.`; nothing when it is not one or too large.
std::optional<Count> parse_count(std::string_view text);

// "1234.5"; zeros at the end of the decimals are left out.
std::string format_count(uint64_t value, unsigned decimals);
// "1,234.5"
std::string format_count_with_commas(uint64_t value, unsigned decimals);

// Sums and products that do not overflow in silence: false, and `value` as it was, when they would.
inline bool add_checked(uint64_t& value, uint64_t more) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(value, more, &sum)) return false;
  value = sum;
  return true;
}
inline bool multiply_checked(uint64_t& value, uint64_t factor) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) return false;
  value = product;
  return true;
}

// Makes `count` a whole number of 10^-decimals; count.decimals must not be greater. False when it
// does not fit.
bool widen(Count& count, unsigned decimals);

}  // namespace aiflame
