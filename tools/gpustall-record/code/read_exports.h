// SPDX-License-Identifier: MIT
// Where an untrusted object has what it exports. A child without rights reads it, within limits of
// time and memory, as the recorder may be root.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aiflame::record {

struct Export {
  uint64_t address = 0;  // the object's own; 0 = it exports nothing of that name
  uint64_t offset = 0;   // in the file; 0 = none
  uint64_t size = 0;     // of a function
};

// One for each name. All zero when the file cannot be read, or is no such object.
std::vector<Export> read_exports(const std::string& path, std::span<const char* const> names);

}  // namespace aiflame::record
