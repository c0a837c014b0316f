// SPDX-License-Identifier: MIT
// Removes hexadecimal numbers from stacks: addresses differ from run to run.
#pragma once

#include <string>
#include <string_view>

namespace aiflame::diff {

// Puts `stack` into `out`, with each hexadecimal number as `0x...`.
void strip_hex(std::string_view stack, std::string& out);

}  // namespace aiflame::diff
