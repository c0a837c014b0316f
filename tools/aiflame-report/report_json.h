// SPDX-License-Identifier: MIT
// A report for programs; aiflame-report(1) documents its members.
#pragma once

#include <string>

#include "tools/aiflame-report/report.h"

namespace aiflame::report {

std::string report_json(const Report& report, const ReportSettings& settings);

}  // namespace aiflame::report
