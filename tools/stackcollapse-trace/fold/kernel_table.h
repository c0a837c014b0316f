// SPDX-License-Identifier: MIT
// Kernels of a table, which says nothing of the host: each on its core and its operator's type.
#pragma once

#include <string>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

// Throws Error for options that need a host.
void fold_kernel_table(const std::string& path, const TraceSettings& settings,
                       ImportedStacks& stacks);

}  // namespace aiflame::trace
