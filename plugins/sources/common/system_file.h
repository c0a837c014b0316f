// SPDX-License-Identifier: MIT
// Small files of /sys and /proc.
#pragma once

#include <string>

namespace aiflame::source {

// "1"; "" when there is no such file.
std::string first_line_of(const std::string& path);

}  // namespace aiflame::source
