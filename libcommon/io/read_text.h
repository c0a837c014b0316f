// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace aiflame {

// The first `limit` bytes of a file; empty when it cannot be read or is no regular file.
std::string read_text(const std::string& path, size_t limit);

}  // namespace aiflame
