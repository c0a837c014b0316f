// SPDX-License-Identifier: MIT
// What the programs that multiply matrices share, independent of the device: the matrices, the
// check of the product, and how long each kernel took.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace demo {

// Numbers in [0, 1), the same in every run.
inline std::vector<float> random_matrix(size_t n, uint32_t seed) {
  std::vector<float> matrix(n * n);
  for (float& value : matrix) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes' generator
    value = static_cast<float>(seed >> 8) * 0x1p-24f;
  }
  return matrix;
}

// One row of the product of two such matrices.
inline std::vector<double> reference_row(const std::vector<float>& a, const std::vector<float>& b,
                                         size_t n, size_t row) {
  std::vector<double> sums(n);
  for (size_t k = 0; k < n; ++k)
    for (size_t column = 0; column < n; ++column)
      sums[column] += static_cast<double>(a[row * n + k]) * static_cast<double>(b[k * n + column]);
  return sums;
}

// All products are positive, so n roundings of products and n of sums, in whatever order and fused
// or not, change a sum by no more than 2n half units in the last place (2^-24 each). `is` has the
// row's n numbers; throws if one of them is wrong.
inline void check_row(const float* is, const std::vector<double>& reference, size_t row,
                      const char* kernel) {
  const double tolerance = 2 * static_cast<double>(reference.size()) * 0x1p-24;
  for (size_t column = 0; column < reference.size(); ++column) {
    const double value = static_cast<double>(is[column]), right = reference[column];
    if (std::abs(value - right) <= tolerance * right) continue;  // written so that NaN fails
    char text[160];
    std::snprintf(text, sizeof text, "%s is wrong at row %zu, column %zu: %.9g instead of %.9g",
                  kernel, row, column, value, right);
    throw std::runtime_error(text);
  }
}

// A kernel, and how much of it has run on the device.
template <typename Multiplication>
struct Variant {
  const char* kernel;
  double (*run)(const Multiplication&, uint64_t repeats);  // the device's seconds
  uint64_t launches = 0;
  double seconds = 0;
};

// How many launches of each kernel fill `seconds` of the device's time.
inline uint64_t repeats_in(uint64_t seconds, double each_once) {
  return static_cast<uint64_t>(static_cast<double>(seconds) / std::max(each_once, 1e-6)) + 1;
}

template <typename Multiplication>
void print_table(const std::array<Variant<Multiplication>, 3>& variants) {
  double total = 0;
  for (const auto& variant : variants) total += variant.seconds;
  std::printf("%-34s %8s %11s %9s\n", "kernel", "launches", "device_s", "share_%");
  for (const auto& variant : variants)
    std::printf("%-34s %8ju %11.6f %9.2f\n", variant.kernel,
                static_cast<uintmax_t>(variant.launches), variant.seconds,
                100 * variant.seconds / total);
}

}  // namespace demo
