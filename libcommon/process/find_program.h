// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace aiflame {

// The file that execvp(3) executes for `name`: a path as it is, and what PATH has for any other
// name; empty if it has none.
std::string find_program(const std::string& name);

}  // namespace aiflame
