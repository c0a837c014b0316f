// SPDX-License-Identifier: MIT
// The order of names from left to right.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/aiflame-svg/read/name_table.h"

namespace aiflame::svg {

// Names are in the order they have in sorted lines, each followed by `end`: the ';' in front of
// more frames or, of a frame with a count of its own, the blank in front of it. So `a.x` is left of
// an `a` that only goes on, as in flamegraph.pl.
bool is_left(std::string_view a, char a_end, std::string_view b, char b_end);

// The names' numbers in the order of is_left(), each followed by ';'.
std::vector<uint32_t> sorted_names(const NameTable& names);
// By number the place in such an order.
std::vector<uint32_t> places_of(const std::vector<uint32_t>& order);

}  // namespace aiflame::svg
