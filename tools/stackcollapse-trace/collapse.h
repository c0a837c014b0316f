// SPDX-License-Identifier: MIT
// Folds one file: reads its events, joins them, and adds their time to stacks.
#pragma once

#include <string>
#include <vector>

#include "libcommon/import/compiled_code.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/captures.h"
#include "tools/stackcollapse-trace/options/settings.h"
#include "tools/stackcollapse-trace/read/node_names.h"

namespace aiflame::trace {

// What other files tell of the programs in the traces.
struct OtherFiles {
  CompiledCode compiled;          // --inductor
  std::vector<Capture> captures;  // --graph-names
  NodesNames nodes;               // the same
};

// Throws Error for what is not of its kind.
OtherFiles read_other_files(const TraceSettings& settings, ImportedStacks& stacks);

// Throws Error for what is not a trace.
void collapse(const std::string& path, const TraceSettings& settings, const OtherFiles& others,
              ImportedStacks& stacks);

}  // namespace aiflame::trace
