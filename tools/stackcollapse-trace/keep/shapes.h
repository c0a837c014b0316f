// SPDX-License-Identifier: MIT
// The shapes of an operator's inputs (pure).
#pragma once

#include <string>
#include <string_view>

namespace aiflame::trace {

// A list of lists as people write shapes: "[[64,32],[],[[8],[9]]]" is "64x32, 8, 9".
std::string shapes_text(std::string_view lists);

}  // namespace aiflame::trace
