// SPDX-License-Identifier: MIT
// Which operator a stack is, and which kernel (pure).
#pragma once

#include <optional>
#include <string_view>

#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

struct StackParts {
  // The stack without instructions, stall reasons and offsets of the device: those of another
  // device are others.
  std::string_view stack;
  std::string_view op;      // the innermost operator with shapes, without its annotation; or empty
  std::string_view kernel;  // the frame behind the boundary; or empty
  bool is_idle = false;     // the device waited: an operator on the stack did no work of its
};

StackParts split_stack(std::string_view stack);

// The data type that a kernel's name tells, as those of PyTorch, cuBLAS, CUTLASS and Tensile do.
std::optional<DataType> type_of_kernel(std::string_view kernel);

// Family::host or Family::collective, where the kernel's name says that it is one; else nothing.
std::optional<Family> family_of_kernel(std::string_view kernel);

}  // namespace aiflame::forecast
