// SPDX-License-Identifier: MIT
// Reads the profiles of Intel's iaprof.
#pragma once

#include <string>

#include "libcommon/folded/time_step.h"
#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"

namespace aiflame::iaprof {

struct ProfileRules {
  NameRules names;
  bool pid = false;  // --pid: comm-PID
  TimeStep by_time;  // --by-time
};

// Adds the samples of a profile. Throws Error with "path:line: what".
void read_profile(const std::string& path, const ProfileRules& rules, ImportedStacks& stacks);

}  // namespace aiflame::iaprof
