// SPDX-License-Identifier: MIT
// Where in .debug_str the names of each line table of a cubin begin (pure).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/device/nvidia/line_program.h"

namespace aiflame {

// For each table what to add to the names in its rows; nothing where that is not known.
//
// A compiler counts names from the start of its .debug_str. nvlink (of CUDA 13.0) puts the objects'
// .debug_str one behind the other, in the order of their tables, but leaves the number in the
// tables' headers 0, so that all but the first have names of another one's functions. Here each
// table gets the part of the strings in which all of its names are whole strings, where there is
// only one way to deal the parts out in order.
std::vector<std::optional<uint64_t>> inlined_name_bases(const std::vector<LineTable>& tables,
                                                        std::string_view debug_str);

}  // namespace aiflame
