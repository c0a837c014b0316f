// SPDX-License-Identifier: MIT
// A profile, ranked: what a report tells, before it is text or JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-report/change.h"
#include "tools/aiflame-report/profile.h"
#include "tools/aiflame-report/report_settings.h"

namespace aiflame::report {

struct Row {
  std::string name;
  Cost cost;           // of one side, exactly
  Change total, self;  // of two sides
};

struct Section {
  Kind kind;
  bool by_self = false;
  std::vector<Row> rows;  // the first in order
  size_t left_out = 0;    // how many more there are
};

// A --fail-on condition and what was found.
struct Verdict {
  Condition condition;
  Change value;       // one side has it in `after`
  bool known = true;  // the input has such a thing
  bool failed = false;
};

struct Report {
  bool two_sides = false;
  unsigned decimals = 0;  // of the exact counts
  uint64_t total = 0;     // of one side, exactly
  Change change;          // of two sides' totals
  size_t runs[2] = {0, 0};
  uint64_t stacks[2] = {0, 0};  // lines read
  // What is taken for one sample's count, of each side and scaled.
  double sample[2] = {1, 1};
  std::vector<Section> sections;
  std::vector<Verdict> verdicts;
};

// One run of one side, or the runs of --before and then those of --after. Throws Error when there
// is nothing to scale.
Report make_report(const Profile& profile, const ReportSettings& settings);

}  // namespace aiflame::report
