// SPDX-License-Identifier: MIT
// The directory that source plugins and agents are installed in.
#pragma once

#include <string>
#include <vector>

namespace aiflame::record {

// ../libexec/aiflame from the directory of the running program. Throws Error.
std::string default_plugin_directory();

// The names of the source plugins in `directory`: sorted, without ".so", without agents. Throws
// Error.
std::vector<std::string> source_names(const std::string& directory);

}  // namespace aiflame::record
