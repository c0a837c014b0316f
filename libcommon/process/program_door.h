// SPDX-License-Identifier: MIT
// The door through which a process that has dropped the right to start programs (sandbox.h) still
// starts some: a second process, forked before, which keeps that right and starts nothing else.
// Each program runs with fewer rights than the process itself: it may read files, and that is all.
#pragma once

#include <string>
#include <vector>

#include "libcommon/process/bounded_child.h"

namespace aiflame {

// Call it before drop_rights(), when there is one thread. `programs` are names to be looked up in
// PATH, or paths. Where none of them is installed, there is no door, and no second process. True
// when there is one.
[[nodiscard]] bool open_program_door(const std::vector<std::string>& programs);

// Like run_in_child(command, …). Without a door, and for a program that it does not know, the exit
// status is kNoProgram.
ChildResult run_through_door(const std::vector<std::string>& command, int input,
                             const ChildLimits& limits);

}  // namespace aiflame
