// SPDX-License-Identifier: MIT
// --idle: what the threads of an export did, by its calls of the CUDA API, its CPU samples and its
// NVTX ranges.
#pragma once

#include "libcommon/import/sqlite_database.h"
#include "libcommon/timeline/host_activity.h"
#include "tools/stackcollapse-nsys/launches.h"
#include "tools/stackcollapse-nsys/nvtx_ranges.h"
#include "tools/stackcollapse-nsys/processes.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

HostActivity read_host_activity(const SqliteDatabase& database, const Strings& strings,
                                const Settings& settings, const NvtxRanges& ranges,
                                const Launches& launches, Processes& processes,
                                ImportedStacks& stacks);

}  // namespace aiflame::nsys
