// SPDX-License-Identifier: MIT
// What an operator has to do, whichever device does it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame::forecast {

enum class DataType { fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 };
inline constexpr size_t kDataTypes = 8;
inline constexpr std::array<std::string_view, kDataTypes> kDataTypeNames = {
    "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"};
inline constexpr std::array<double, kDataTypes> kBytes = {8, 4, 4, 2, 2, 1, 0.5, 1};

enum class Family {
  // measured: devices have an efficiency for each
  linear,
  bmm,
  elem,
  softmax,
  ln,
  // known by their shapes, not measured
  attention,
  convolution,
  memory,  // copies and lookups: they only move data
  // bounded
  unknown,    // an operator with shapes that this program does not know: its memory traffic
  no_shapes,  // nothing is known: as if bound by memory
  // not of the device alone
  collective,  // by the link between devices
  host,        // copies from and to the host: they stay as they are
  idle,        // a device that waits for the host, and stacks on that: the same
};
inline constexpr size_t kMeasuredFamilies = 5;
inline constexpr size_t kFamilies = 13;
inline constexpr std::array<std::string_view, kFamilies> kFamilyNames = {
    "linear", "bmm",     "elem",      "softmax",    "ln",        "attention", "convolution",
    "memory", "unknown", "no shapes", "collective", "host copy", "idle"};

// What another device does not change.
inline constexpr bool stays(Family family) {
  return family == Family::host || family == Family::idle;
}

inline constexpr bool is_measured(Family family) {
  return static_cast<size_t>(family) < kMeasuredFamilies;
}
inline constexpr bool is_matrix(Family family) {
  return family == Family::linear || family == Family::bmm || family == Family::attention ||
         family == Family::convolution;
}

inline constexpr bool is_product(Family family) {
  return family == Family::linear || family == Family::bmm;
}

// B products of M x N and N x K.
struct Product {
  double b = 0, m = 0, n = 0, k = 0;
};

struct Work {
  Family family = Family::no_shapes;
  DataType type = DataType::fp32;
  double operations = 0;
  double bytes = 0;
  Product product;       // of a family of products
  bool reduces = false;  // Family::collective: all devices reduce these bytes; else one sends them
};

// The place of a name in an array of names, or nothing.
template <typename Names>
std::optional<size_t> find_name(const Names& names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  return std::nullopt;
}

}  // namespace aiflame::forecast
