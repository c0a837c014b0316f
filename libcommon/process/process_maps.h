// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace aiflame {

// One line of /proc/PID/maps; `rights` ("r-xp") and `path` are views into it.
struct MapsLine {
  uint64_t start = 0, end = 0, file_offset = 0;
  std::string_view rights, path;

  bool is_executable() const { return rights[2] == 'x'; }
};

// False when it is not such a line.
bool parse_maps_line(std::string_view line, MapsLine& out);

}  // namespace aiflame
