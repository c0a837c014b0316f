// SPDX-License-Identifier: MIT
// What is printed with a cost: the result, and everything that it rests on.
#pragma once

#include <string>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-cost/counted_cost.h"

namespace aiflame::cost {

// A fact each: "power 300 W while busy". None ends in a digit, so each can be a comment of
// folded(5).
std::vector<std::string> facts(const Cost& cost, const CountedCost& counted,
                               const Assumptions& given);

// What the counts are: "event estimate from gpu-time at 300 W, unit nJ". `event`: of the time.
Quantity quantity_of(const CountedCost& counted, const Assumptions& given, Shown shown,
                     const std::string& event);

}  // namespace aiflame::cost
