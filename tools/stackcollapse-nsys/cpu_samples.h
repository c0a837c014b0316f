// SPDX-License-Identifier: MIT
// --cpu: the CPU samples of a recording, under the NVTX ranges of their threads.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-nsys/database.h"
#include "tools/stackcollapse-nsys/processes.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

// Throws Error if the export has no CPU samples.
void draw_cpu_samples(const Database& database, const Strings& strings, const Settings& settings,
                      Processes& processes, const Ranks* ranks, ImportedStacks& stacks);

}  // namespace aiflame::nsys
