// SPDX-License-Identifier: MIT
// Numbers as the shortest text that contains no markup: tree_data.h describes the format.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace aiflame::svg {

// The most characters that a number takes.
inline constexpr size_t kNumberSize = 13;

// How many characters `value` takes.
inline size_t number_size(uint64_t value) {
  return std::max<size_t>(1, (static_cast<size_t>(std::bit_width(value)) + 4) / 5);
}

// Writes `value` to `out` and returns the end.
inline char* put_number(char* out, uint64_t value) {
  for (; value >= 32; value >>= 5) *out++ = static_cast<char>(63 + 32 + (value & 31));
  *out++ = static_cast<char>(63 + value);
  return out;
}

inline void append_number(std::string& out, uint64_t value) {
  std::array<char, kNumberSize> text;
  out.append(text.data(), put_number(text.data(), value));
}

}  // namespace aiflame::svg
