// SPDX-License-Identifier: MIT
// The expression at a column of a source line, which is what debug information says of a load
// (pure).
//
//   sum += a[row * n + k] * b[k * n + col];      column 27
//                           ^ b[k * n + col]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame::annotate {

// A name with all that follows it in brackets and behind dots and arrows, on this line. Compilers
// also point at the member (`p->items[i]` at `items`): what comes before it belongs to it. Empty at
// an operator, since its operands may begin anywhere, and at a keyword. `column`: from 1, in bytes.
std::string operand_at(std::string_view line, uint32_t column);

}  // namespace aiflame::annotate
