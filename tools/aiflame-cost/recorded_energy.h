// SPDX-License-Identifier: MIT
// The energy that a recording has measured (gpustall-record --energy).
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-cost/assumptions.h"

namespace aiflame::cost {

// Sums the readings of the counters `names`, or of the only one there is where `names` is empty.
// Throws Error where it is not known which one, where one is a part of another, or where a reading
// is missing.
void take_recorded_joules(const std::string& path, const std::vector<std::string>& names,
                          Assumptions& given);

}  // namespace aiflame::cost
