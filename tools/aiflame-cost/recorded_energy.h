// SPDX-License-Identifier: MIT
// The energy that a recording has measured (gpustall-record --energy).
#pragma once

#include <string>

#include "tools/aiflame-cost/assumptions.h"

namespace aiflame::cost {

// Sums the readings of the counter `name`, or of the only one there is where `name` is empty.
// Throws Error where it is not known which one, or where a reading is missing.
Given recorded_joules(const std::string& path, const std::string& name);

}  // namespace aiflame::cost
