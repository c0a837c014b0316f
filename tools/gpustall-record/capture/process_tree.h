// SPDX-License-Identifier: MIT
// Whether a process descends from another one.
#pragma once

#include <sys/types.h>

#include <string>

namespace aiflame::record {

// gone: the process has ended and is reaped, or the way up cannot be followed.
enum class Descent { below, elsewhere, gone };

// `ancestor` itself counts as below. An orphan is below the process that adopted it.
Descent descent_of(pid_t pid, pid_t ancestor);

// The name of a process, "" when it has gone. The process can choose any bytes.
std::string comm_of(pid_t pid);

}  // namespace aiflame::record
