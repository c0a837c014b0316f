// SPDX-License-Identifier: MIT
// Folds one file: reads its events, joins them, and adds their time to stacks.
#pragma once

#include <string>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

// Throws Error for what is not a trace.
void collapse(const std::string& path, const TraceSettings& settings, ImportedStacks& stacks);

}  // namespace aiflame::trace
