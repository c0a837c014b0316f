// SPDX-License-Identifier: MIT
// Finds where in .debug_str the names of each line table of a cubin begin (pure).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/objects/nvidia/line_program.h"

namespace aiflame {

// For each table the number to add to the names in its rows; nothing where it is not known.
//
// ptxas counts a name from the start of the object's .debug_str. nvlink (CUDA 13.0) concatenates
// the .debug_str of all objects, in the order of their tables, but leaves the offset in the tables'
// headers 0. Read literally, all tables but the first would name functions of the first object.
//
// The offsets can often be recovered: in a table's own part of the strings, each of its names is
// the beginning of a string, and the parts follow one another. So each table is placed as far to
// the front as that allows, then as far to the back. Where both agree there is only one way, and
// the table gets its offset. Where they do not, it gets none, and its inlined functions have no
// names.
std::vector<std::optional<uint64_t>> inlined_name_bases(const std::vector<LineTable>& tables,
                                                        std::string_view debug_str);

}  // namespace aiflame
