// SPDX-License-Identifier: MIT
// Lists the units of an object's debug information with the functions that have code in each. Uses
// libdw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aiflame {

struct DwarfCode {
  struct Function {
    std::string name;  // as in the source; the linkage name, if any, is another Function
    uint64_t start = 0;
  };
  uint64_t start = 0, end = 0;    // of the unit in .debug_info
  std::optional<uint64_t> lines;  // of its line table in .debug_line
  std::vector<Function> functions;
};

// The units of an object, in order. Of a damaged object, the units before the damage.
std::vector<DwarfCode> list_dwarf_code(const std::string& path);

}  // namespace aiflame
