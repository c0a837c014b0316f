// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/base/output.h"
#include "tools/aiflame-cost/counted_cost.h"
#include "tools/aiflame-cost/timed_stacks.h"

namespace aiflame::cost {

// Writes the stacks with their costs in place of their times, and `[idle]` with the cost of the
// idle time: in order where the stacks are. Stacks that cost nothing are left out.
void write_costs(TimedStacks& stacks, const CountedCost& cost, Output& out);

}  // namespace aiflame::cost
