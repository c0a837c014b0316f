// SPDX-License-Identifier: MIT
// The shapes in an operator's frame, as stackcollapse-trace --shapes writes them (pure):
//
//   aten::addmm 2880, 888x512, 512x2880_[o]
//   aten::addmm 2880, 888x512, 512x2880 bf16_[o]           with the type of the inputs
//   VECadd 8x512x1024, 1x512x1024 -> 8x512x1024_[o]        with the shape of the output
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

// The sizes of a tensor; none: a scalar.
using Shape = std::vector<double>;

double elements(const Shape& shape);

struct OperatorText {
  std::string_view name;
  std::vector<Shape> inputs;
  std::optional<Shape> output;
  std::optional<DataType> type{};
};

// Splits a frame without its annotation. Nothing where it has no shapes.
std::optional<OperatorText> parse_operator(std::string_view frame);

}  // namespace aiflame::forecast
