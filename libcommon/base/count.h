// SPDX-License-Identifier: MIT
// Counts of folded text. Most are whole numbers. Fractions (`12.5`, in a profile in milliseconds)
// are exact: they are whole numbers of a common decimal unit.
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

// Further decimals are rounded half up. With six, the sum of a file can reach 18 446 744 073 709.
inline constexpr unsigned kMaxDecimals = 6;

// Parses `123`, `123.5`, `34.`; nothing if `text` is not a count or too large.
std::optional<Count> parse_count(std::string_view text);

// "1234.5"; without trailing zeros after the point.
std::string format_count(uint64_t value, unsigned decimals);
// "1,234.5"
std::string format_count_with_commas(uint64_t value, unsigned decimals);

// Checked sums and products: on overflow they return false and leave `value` unchanged.
[[nodiscard]] inline bool add_checked(uint64_t& value, uint64_t more) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(value, more, &sum)) return false;
  value = sum;
  return true;
}
[[nodiscard]] inline bool multiply_checked(uint64_t& value, uint64_t factor) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) return false;
  value = product;
  return true;
}

// Converts `count` to the unit 10^-decimals; count.decimals must not be greater. False if it does
// not fit.
[[nodiscard]] bool widen(Count& count, unsigned decimals);

}  // namespace aiflame
