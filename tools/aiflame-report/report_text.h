// SPDX-License-Identifier: MIT
// A report for people, in the style of `perf report --stdio`: comments start with '#'.
#pragma once

#include <string>

#include "tools/aiflame-report/report.h"

namespace aiflame::report {

// `settings.width`: names are cut in the middle so that lines have at most this many characters; 0:
// no limit.
std::string report_text(const Report& report, const ReportSettings& settings);

// "total>+3%: 1,000 -> 1,100, +100 (+10.0%), 95% interval +52 to +148", for messages.
std::string verdict_text(const Verdict& verdict, const Report& report,
                         const ReportSettings& settings);

}  // namespace aiflame::report
