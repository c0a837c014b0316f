// SPDX-License-Identifier: MIT
// The NVTX ranges of an export.
#pragma once

#include <cstdint>
#include <functional>

#include "libcommon/import/sqlite_database.h"
#include "libcommon/import/thread_ranges.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

// Calls see() for each range of the export, an instant of [begin, end).
using SeeRange = std::function<void(uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame)>;
void each_nvtx_range(const SqliteDatabase& database, const Strings& strings,
                     const Settings::Frames& frames, ImportedStacks& stacks, const SeeRange& see);

// The ranges for which wanted(thread, begin, end) holds, an instant of [begin, end). Most ranges of
// a trace enclose no launch, and are not kept.
using WantedRange = std::function<bool(uint64_t thread, uint64_t begin, uint64_t end)>;
ThreadRanges read_nvtx_ranges(const SqliteDatabase& database, const Strings& strings,
                              const Settings::Frames& frames, ImportedStacks& stacks,
                              const WantedRange& wanted);

}  // namespace aiflame::nsys
