// SPDX-License-Identifier: MIT
// The order of frames' names from left to right.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/aiflame-svg/read/name_table.h"

namespace aiflame::svg {

// Names have the order of sorted lines. `end` is the byte after the name there: the ';' before more
// frames, or the blank before the count of a frame that has its own. So `a.x` is left of an `a`
// that has no count of its own, as in flamegraph.pl.
bool is_left(std::string_view a, char a_end, std::string_view b, char b_end);

// The names' numbers in the order of is_left(), with ';' after each name.
std::vector<uint32_t> sorted_names(const NameTable& names);
// The place of each name in such an order.
std::vector<uint32_t> places_of(const std::vector<uint32_t>& order);

}  // namespace aiflame::svg
