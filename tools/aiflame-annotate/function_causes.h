// SPDX-License-Identifier: MIT
// Brings the causes of stalls (libcommon/code/stall_causes.h) to a function's instructions.
#pragma once

#include <cstdint>

#include "libcommon/code/code_flow.h"
#include "tools/aiflame-annotate/annotation.h"

namespace aiflame::annotate {

// Fills the causes, chains, roots and coverage of `out`, which has its samples and producers.
// `flow`: the function's code; where it is empty, only producers are known. `base`: where the
// offsets of `out` begin in the file. Returns the steps of the search, `max_steps` at most.
uint64_t add_stall_causes(CodeFlow flow, uint64_t base, uint64_t max_steps, Annotation& out);

}  // namespace aiflame::annotate
