// SPDX-License-Identifier: MIT
// The last lines on standard error: how much was captured, what was lost, and what is missing.
#pragma once

#include <string>

#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/join/capture_totals.h"

namespace aiflame::record {

// `event` is the event name of the samples; the line names `output` when it is a file. `budgets`
// has what was dropped.
void print_summary(const CaptureTotals& totals, const Budgets& budgets, const std::string& event,
                   const std::string& output);

}  // namespace aiflame::record
