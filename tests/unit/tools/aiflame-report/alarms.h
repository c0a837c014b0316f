// SPDX-License-Identifier: MIT
#pragma once

#include "tools/aiflame-report/report.h"

namespace aiflame::report {

// Whether anything in the report is beyond noise.
inline bool has_alarm(const Report& report) {
  if (report.change.beyond_noise()) return true;
  for (const Section& section : report.sections)
    for (const Row& row : section.rows)
      if (row.total.beyond_noise() || row.self.beyond_noise()) return true;
  return false;
}

}  // namespace aiflame::report
