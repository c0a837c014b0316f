// SPDX-License-Identifier: MIT
// Turns a snapshot into stacks.
#pragma once

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-torch-memory/settings.h"
#include "tools/stackcollapse-torch-memory/snapshot.h"

namespace aiflame::torch_memory {

// What the counts are.
Quantity quantity_of(const Settings& settings);

// Adds the stacks of a snapshot, which is file `rank` of those given. Throws Error if it has not
// what is asked for.
void draw(const Snapshot& snapshot, uint64_t rank, const Settings& settings,
          ImportedStacks& stacks);

}  // namespace aiflame::torch_memory
