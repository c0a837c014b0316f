// SPDX-License-Identifier: MIT
// The loop in which a function is hottest (pure).
#pragma once

#include <optional>

#include "libcommon/code/code_flow.h"
#include "tools/aiflame-annotate/annotation.h"

namespace aiflame::annotate {

// `base`: where the function's offsets begin, in the object's file, as those of `flow` do.
std::optional<HotLoop> find_hot_loop(const CodeFlow& flow, uint64_t base,
                                     const std::vector<AnnotatedInstruction>& code);

}  // namespace aiflame::annotate
