// SPDX-License-Identifier: MIT
// The shapes of an operator's inputs, and their type (pure).
#pragma once

#include <string>
#include <string_view>

namespace aiflame::trace {

// A list of lists as people write shapes: "[[64,32],[],[[8],[9]]]" is "64x32, 8, 9".
std::string shapes_text(std::string_view lists);

// The short name of a type of floating-point numbers, as PyTorch's `Input type` has it:
// "c10::BFloat16" is "bf16". Empty for all others: an index says nothing of the work.
std::string_view data_type(std::string_view type);

}  // namespace aiflame::trace
