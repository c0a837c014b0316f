// SPDX-License-Identifier: MIT
#include "libcommon/process/process_maps.h"

#include <unistd.h>

#include <cinttypes>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame {

// "7f2c9a3a0000-7f2c9a3b2000 r-xp 00003000 fe:00 1234      /usr/lib/libOpenCL.so.1.0.0"
bool parse_maps_line(std::string_view line, MapsLine& out) {
  const std::string_view range = take_field(line);
  const std::string_view rights = take_field(line);
  const auto offset = parse_hex(take_field(line));
  take_field(line);  // device
  take_field(line);  // inode
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos || !offset || rights.size() < 4) return false;
  const auto start = parse_hex(range.substr(0, dash));
  const auto end = parse_hex(range.substr(dash + 1));
  if (!start || !end || *end <= *start) return false;
  out = MapsLine{*start, *end, *offset, rights, trim_left(line)};
  return true;
}

std::string file_of_mapping(uint32_t pid, const MapsLine& map) {
  std::string link = format("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, map.start, map.end);
  if (access(link.c_str(), R_OK) == 0) return link;
  return format("/proc/%u/root", pid) + std::string(map.path);
}

}  // namespace aiflame
