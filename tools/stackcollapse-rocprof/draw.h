// SPDX-License-Identifier: MIT
// Turns what was read into stacks.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-rocprof/rocprof_trace.h"
#include "tools/stackcollapse-rocprof/settings.h"

namespace aiflame::rocprof {

// Adds the stacks of the event that the settings ask for, or of the best that the files have.
// Throws Error if they do not have it.
void draw(RocprofTrace& trace, const Settings& settings, ImportedStacks& stacks);

}  // namespace aiflame::rocprof
