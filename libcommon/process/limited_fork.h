// SPDX-License-Identifier: MIT
// The two halves of bounded_child.h: a child within its limits, and the bounded reading of what it
// writes. program_door.h has them in two processes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "libcommon/process/bounded_child.h"
#include "libcommon/process/sandbox.h"

namespace aiflame {

// Forks a child that runs `body` within the limits of memory and CPU time, with `output` as its
// standard output. It keeps `rights` alone; null = all. -1 when it cannot be forked.
pid_t fork_limited(int output, const std::function<int()>& body, const ChildLimits& limits,
                   const Rights* rights);

// Limits the memory of this process to `more` bytes above what it has, and its core file to none.
void limit_memory(uint64_t more);

// Becomes the program `command`, with `input` as its descriptor 3. Returns ChildResult::kNoProgram
// when there is no such program.
int become_program(const std::vector<std::string>& command, int input);

// Reads to the end, or to the limit that it returns.
ChildLimit read_output(int fd, const ChildLimits& limits, std::string& out);

// The result of a child that has ended with `status` (waitpid). `limit` is read_output()'s.
void take_status(int status, ChildLimit limit, ChildResult& out);

}  // namespace aiflame
