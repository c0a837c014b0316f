// SPDX-License-Identifier: MIT
// The contents of a report, ranked, before it becomes text or JSON.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "libcommon/findings/gain.h"
#include "libcommon/statistics/change.h"
#include "tools/aiflame-report/profile.h"
#include "tools/aiflame-report/report_settings.h"

namespace aiflame::report {

// Where stalls are; empty or 0 what the stacks do not say.
struct Evidence {
  std::string line, mnemonic, offset;  // "matmul.cl:10", "send.ugm", "0x448"
  uint64_t samples = 0;

  // The largest first.
  bool operator<(const Evidence& other) const {
    if (samples != other.samples) return samples > other.samples;
    return std::tie(line, offset, mnemonic) < std::tie(other.line, other.offset, other.mnemonic);
  }
};

struct Row {
  std::string name;
  Cost cost;                       // if there is one side; exact
  Change total, self;              // if there are two sides
  std::string kernel, reason;      // of a finding, if there is one side
  std::optional<Gain> gain;        // of a finding, if it is known
  double share = 0;                // of the stalls of its kernel: that of a finding
  uint32_t number = 0;             // of a finding
  std::vector<Evidence> evidence;  // the largest first
  LaunchFact launch;               // of a launch
  uint32_t order = 0;              // comes before the cost; of Kind::device
};

// The rank that the others wait for.
struct Straggler {
  std::string rank;
  double times = 0;  // its work, of the median of the others'
  std::string place,
      reason;       // where most of what it works more is, and why it stalls there, if known
  double more = 0;  // there, than the others' mean
};

struct Section {
  Kind kind;
  bool by_self = false;
  std::vector<Row> rows;               // the first ones in the section's order
  size_t left_out = 0;                 // how many more rows there are
  bool exposed = false;                // of findings: only exposed stalls count for the gain
  std::optional<Straggler> straggler;  // of ranks
};

// A --fail-on condition and its result.
struct Verdict {
  Condition condition;
  Change value;         // with one side, its count is in `after`
  std::string trouble;  // why it cannot be judged, and so fails; empty if it can
  bool failed = false;
};

struct Report {
  bool two_sides = false;
  unsigned decimals = 0;  // exact counts are in units of 10^-decimals
  uint64_t total = 0;     // if there is one side; exact
  Change change;          // of the totals, if there are two sides
  size_t runs[2] = {0, 0};
  uint64_t stacks[2] = {0, 0};  // lines read
  // What one sample is assumed to add to a count, by side, after scaling.
  double sample[2] = {1, 1};
  Quantity quantity;               // what the counts are, if the input says it
  bool exact = false;              // nothing varies: each change is one
  bool sampled = true;             // there is noise of counting samples
  bool knows_noise = true;         // of any change
  bool shares = false;             // are compared: each run, or both sides, have the same sum
  std::vector<std::string> notes;  // what the input says in words, if there is one side
  size_t comparisons = 0;          // that were judged together
  // Between two single runs: how far the plain interval of the total's change reaches on each side,
  // by the noise of counting alone, and by that of blocks of time alone, of which each side has so
  // many.
  double counting_reach = 0, blocks_reach = 0;
  size_t blocks[2] = {0, 0};
  std::vector<Section> sections;
  std::vector<Verdict> verdicts;
};

// The profile has one run of one side, or the runs of --before followed by those of --after. Throws
// Error when a run without counts is to be scaled.
Report make_report(const Profile& profile, const ReportSettings& settings);

}  // namespace aiflame::report
