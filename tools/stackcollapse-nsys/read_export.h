// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-nsys/settings.h"

namespace aiflame::nsys {

// Adds the stacks of one export. `next_rank`: the number of its first process, counted on.
void read_export(const std::string& path, const Settings& settings, ImportedStacks& stacks,
                 uint64_t& next_rank);

}  // namespace aiflame::nsys
