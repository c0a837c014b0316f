// SPDX-License-Identifier: MIT
// A line of /proc/PID/maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

// `rights` ("r-xp") and `path` are views into the line.
struct MapsLine {
  uint64_t start = 0, end = 0, file_offset = 0;
  std::string_view rights, path;

  bool is_executable() const { return rights[2] == 'x'; }
};

// False when the line has another form.
[[nodiscard]] bool parse_maps_line(std::string_view line, MapsLine& out);

// The file that a process has mapped, wherever it is: in a container, in a chroot (whose files
// /proc/PID/maps shows by their paths here), or removed. That link is for root alone; for others,
// the path below the process's root.
std::string file_of_mapping(uint32_t pid, const MapsLine& map);

}  // namespace aiflame
