// SPDX-License-Identifier: MIT
// Why a command loaded no agent.
#pragma once

#include <string>
#include <vector>

namespace aiflame::record {

// "no program loaded an agent: ...". Names a command that is statically linked, into which nothing
// can be loaded. `command` is empty with -p and -a.
std::string why_no_agent(const std::vector<std::string>& command);

// Whether `path` is an ELF program without an interpreter (PT_INTERP), which is what loads
// libraries.
bool is_statically_linked(const std::string& path);

}  // namespace aiflame::record
