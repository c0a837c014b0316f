// SPDX-License-Identifier: MIT
// What the user is told when agents reported, and launches or samples are missing all the same.
#pragma once

#include <cstdint>
#include <string>

#include "tools/gpustall-record/join/capture_totals.h"

namespace aiflame::record {

struct Expected {
  uint64_t programs = 0;    // that loaded an agent
  std::string source;       // "" = no samples were wanted
  bool finds_code = false;  // the source itself reports the code that it can sample
  uint64_t period_ns = 0;   // 0 = of another unit
};

// "no samples: ..."; "" when nothing is missing, or what is lost has been counted.
std::string what_is_missing(const CaptureTotals& totals, const Expected& expected);

}  // namespace aiflame::record
