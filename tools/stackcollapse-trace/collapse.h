// SPDX-License-Identifier: MIT
// Folds one file: reads its events, joins them, and adds their time to stacks.
#pragma once

#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/captures.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

// The captures in the files of --graph-names. Throws Error for what is not a trace.
std::vector<Capture> read_captures(const TraceSettings& settings, ImportedStacks& stacks);

// Throws Error for what is not a trace.
void collapse(const std::string& path, const TraceSettings& settings,
              const std::vector<Capture>& captures, ImportedStacks& stacks);

}  // namespace aiflame::trace
