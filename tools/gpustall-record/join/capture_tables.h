// SPDX-License-Identifier: MIT
// The tables that intake and output share: they turn the numbers in slices back into names,
// processes and launches.
#pragma once

#include <cstdint>

#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/code/name_table.h"
#include "tools/gpustall-record/join/capture_totals.h"
#include "tools/gpustall-record/join/launch_sizes.h"
#include "tools/gpustall-record/join/launch_table.h"
#include "tools/gpustall-record/join/sample_ledger.h"
#include "tools/gpustall-record/names/comms.h"

namespace aiflame::record {

struct CaptureTables {
  // `origin` is the start of the recording.
  CaptureTables(uint64_t origin, Budgets& all_budgets) : budgets(all_budgets), latest_ns(origin) {}

  Budgets& budgets;  // outlives this: the others give back what they have taken
  NameTable kernels, reasons;
  Comms comms;
  LaunchTable launches;
  LaunchSizes sizes;
  SampleLedger ledger{budgets};
  CaptureTotals totals;
  uint64_t latest_ns;  // the time of the latest launch or sample: losses are placed there
};

}  // namespace aiflame::record
