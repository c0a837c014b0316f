// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace aiflame {

// The path of what is installed with this program: `below` is "libexec/aiflame", from the directory
// in which bin/ is. Throws Error.
std::string installed(const std::string& below);

}  // namespace aiflame
