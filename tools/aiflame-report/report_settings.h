// SPDX-License-Identifier: MIT
// The command line of aiflame-report.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/folded/device_match.h"
#include "tools/aiflame-report/condition.h"
#include "tools/aiflame-report/layers.h"

namespace aiflame::report {

struct ReportSettings {
  // One side: the operands, which are added up. Two sides: each file of --before and --after is a
  // run.
  std::vector<std::string> inputs;
  std::array<std::vector<std::string>, 2> runs;
  bool two_sides() const { return !runs[0].empty(); }

  Match match = Match::structure;  // of device frames of two sides
  bool mixed = false;              // counts of different units are added and compared
  bool normalize = false;
  // --normalize-by: how much work each side did
  std::optional<std::array<double, 2>> work;
  double sample = 0;       // what one sample adds to a count; 0: estimated
  double confidence = 95;  // percent
  std::vector<Condition> fail_on;
  bool allow_missing = false;  // what a condition names may be in no input
  std::vector<Kind> sections;  // empty: all but frames, and those of a model where there is one
  // Operators and modules are sorted as functions are.
  bool functions_by_self = true, kernels_by_self = false;
  uint64_t top = 10;   // rows of a section; 0: all
  uint64_t width = 0;  // of the text, in characters; 0: no limit
  bool json = false;
  bool no_sandbox = false;
};

// Returns nothing when --help or --version was printed. Throws UsageError.
std::optional<ReportSettings> parse_report_settings(int argc, char** argv);

}  // namespace aiflame::report
