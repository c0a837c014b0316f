// SPDX-License-Identifier: MIT
// Which processes descend from another one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::record {

// gone: the process has ended and is reaped, or the way up cannot be followed.
enum class Descent { below, elsewhere, gone };

// `ancestor` itself counts as below. An orphan is below the process that adopted it.
Descent descent_of(pid_t pid, pid_t ancestor);

// The processes below `ancestor` that run, by number. Left out are copies of `ancestor` itself,
// which it has forked and which run its program.
std::vector<pid_t> processes_below(pid_t ancestor);

// NAME=VALUE, each with a zero byte after it, as the process was given them; "" when it has gone or
// may not be looked at.
std::string environment_of(uint32_t pid);
// The value of a variable in it; "" also when it is not set.
std::string_view variable_in(std::string_view environ, std::string_view name);

// The name of a process, "" when it has gone. The process can choose any bytes.
std::string comm_of(pid_t pid);

}  // namespace aiflame::record
