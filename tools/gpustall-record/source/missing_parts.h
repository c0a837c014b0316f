// SPDX-License-Identifier: MIT
// What an installation lacks, and how it is got: sources and agents that were left out of the
// build, and libraries that a source needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aiflame::record {

// A line for each source and each agent that is not in `directory`:
//
//   cupti        source and agent are left out of this build: CUPTI's headers were missing; ...
std::vector<std::string> left_out_parts(const std::string& directory);

// Of the dynamic linker's message "libelf.so.1: cannot open shared object file: No such file or
// directory": "libelf.so.1 is missing; as root: apt install libelf1". "" for other messages.
std::string describe_missing_library(std::string_view message);

}  // namespace aiflame::record
