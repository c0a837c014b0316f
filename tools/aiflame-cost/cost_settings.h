// SPDX-License-Identifier: MIT
// The command line of aiflame-cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/aiflame-cost/assumptions.h"
#include "tools/aiflame-cost/counted_cost.h"

namespace aiflame::cost {

struct CostSettings {
  std::string path = "-";
  Shown shown = Shown::joules;
  Assumptions given;
  std::string recording;              // where the joules are from, if not given
  std::vector<std::string> counters;  // of its counters these
  std::string unit;                   // of the times, where the file does not say it
  bool summary = false;               // the facts alone
  bool no_sandbox = false;

  std::string currency() const { return given.price ? given.price->currency : ""; }
};

// Nothing if --help or --version was given. Throws UsageError, also where an assumption is missing
// that the result needs.
std::optional<CostSettings> parse_cost_settings(int argc, char** argv);

}  // namespace aiflame::cost
