// SPDX-License-Identifier: MIT
// Finds the blank line that ends a sample, faster than line by line.
#pragma once

#include <cstddef>
#include <string_view>

namespace aiflame {

// The position of the first pair of adjacent bytes in `text`, or npos: find_pair(text, '\n', '\n')
// finds a blank line.
size_t find_pair(std::string_view text, char first, char second);

}  // namespace aiflame
