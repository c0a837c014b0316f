// SPDX-License-Identifier: MIT
// Which functions each unit of debug information has code of. Uses libdw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aiflame {

struct DwarfCode {
  struct Function {
    std::string name;  // as it is written; its linkage name is one more of these
    uint64_t start = 0;
  };
  uint64_t start = 0, end = 0;    // of the unit in .debug_info
  std::optional<uint64_t> lines;  // of its line table in .debug_line
  std::vector<Function> functions;
};

// The units of an object in order. Of one that cannot be read, those up to where it is damaged.
std::vector<DwarfCode> list_dwarf_code(const std::string& path);

}  // namespace aiflame
