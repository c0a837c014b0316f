// SPDX-License-Identifier: MIT
// Which frames of a tree are stall reasons.
//
// A reason is annotated like an instruction, `sbid_[g]`, and one vendor's reason is another's
// instruction (`barrier`), so a name alone does not tell: its place in the stacks does.
#pragma once

#include <map>
#include <string>

#include "libcommon/code/stall_reasons.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Annotated names; what is known about them, or null for a reason that the table of them lacks.
using ReasonNames = std::map<std::string, const StallReason*, std::less<>>;

// `reversed`: the tree is merged from the leaves, so callers stand on top of what they call.
ReasonNames find_reason_names(const FlameTree& tree, bool reversed = false);

// The category of a reason; `other` for an unknown one.
StallReason::Category category_of(const StallReason* reason);

}  // namespace aiflame::svg
