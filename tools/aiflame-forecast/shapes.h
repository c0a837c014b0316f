// SPDX-License-Identifier: MIT
// The shapes in an operator's frame, as stackcollapse-trace --shapes writes them (pure):
//
//   aten::addmm 2880, 888x512, 512x2880_[o]
//   VECadd 8x512x1024, 1x512x1024 -> 8x512x1024_[o]        with the shape of the output
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace aiflame::forecast {

// The sizes of a tensor; none: a scalar.
using Shape = std::vector<double>;

double elements(const Shape& shape);

struct OperatorText {
  std::string_view name;
  std::vector<Shape> inputs;
  std::optional<Shape> output;
};

// Splits a frame without its annotation. Nothing where it has no shapes.
std::optional<OperatorText> parse_operator(std::string_view frame);

}  // namespace aiflame::forecast
