// SPDX-License-Identifier: MIT
// Finds the blank line that ends a sample, faster than line by line.
#pragma once

#include <cstddef>
#include <string_view>

namespace aiflame {

// Position of the first of two neighbours in `text`: find_pair(text, '\n', '\n') of a blank line.
// npos where there are none.
size_t find_pair(std::string_view text, char first, char second);

}  // namespace aiflame
