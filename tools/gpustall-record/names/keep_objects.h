// SPDX-License-Identifier: MIT
// Copies the CPU objects of a recording's stacks to perf's cache (--buildid-cache), since the
// container that they are in may be gone when the recording is folded.
#pragma once

#include <string>
#include <vector>

#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/names/build_id_cache.h"
#include "tools/gpustall-record/names/cpu_names.h"

namespace aiflame::record {

// What the user is told of it.
struct KeptObjects {
  std::string kept;
  std::vector<std::string> not_kept;  // a line for each reason
};

// Copies what the cache does not have. Copies count in `budgets`, as Kept::objects. `sandboxed`:
// see SymbolChild.
KeptObjects keep_objects(const BuildIdCache& cache, const std::vector<CpuNames::Object>& objects,
                         Budgets& budgets, bool sandboxed);

}  // namespace aiflame::record
