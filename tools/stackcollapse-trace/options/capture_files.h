// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace aiflame::trace {

// The files of --graph-names: a directory stands for the traces and the names of nodes in it,
// sorted by name. Throws Error for one without any.
std::vector<std::string> capture_files(const std::vector<std::string>& given);

}  // namespace aiflame::trace
