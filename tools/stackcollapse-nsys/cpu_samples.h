// SPDX-License-Identifier: MIT
// The CPU samples of a recording, under the NVTX ranges of their threads: --cpu draws them, --idle
// says by them what the host did.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/sqlite_database.h"
#include "tools/stackcollapse-nsys/host_calls.h"
#include "tools/stackcollapse-nsys/nvtx_ranges.h"
#include "tools/stackcollapse-nsys/processes.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

// By thread and time, each with its stack. `root_of`: what a sample's ranges stand on.
std::vector<HostCall> read_cpu_samples(
    const SqliteDatabase& database, const Strings& strings, const Settings& settings,
    const NvtxRanges& ranges, ImportedStacks& stacks,
    const std::function<uint32_t(const HostCall& sample)>& root_of);

// Throws Error if the export has no CPU samples.
void draw_cpu_samples(const SqliteDatabase& database, const Strings& strings,
                      const Settings& settings, const NvtxRanges& ranges, Processes& processes,
                      const Ranks* ranks, ImportedStacks& stacks);

}  // namespace aiflame::nsys
