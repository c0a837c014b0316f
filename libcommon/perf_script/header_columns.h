// SPDX-License-Identifier: MIT
// The header lines of perf script with columns that are missing (-F -comm, -F -tid, -F -event) or
// that sample_header.h does not know (-F +misc, +tod, and what a newer perf adds):
//
//   python3.11 17630 [000] U     25977.213438:     250000 cpu-clock:
//   sh 17630 2026-11-27 07:45:54.292807 25977.213438:     250000 cpu-clock:
//     21452 11371.483014:     201198 cpu-clock:ppp:
#pragma once

#include <string_view>

#include "libcommon/perf_script/sample_header.h"
#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// Parses a header by its anchors: the time, or the period before the event where there is no time;
// the event after them; before them the last process id, and what precedes that is the comm.
// `line` has no leading blanks. A comm that is missing is an empty text before the id; ids that are
// missing are -1. The first column that was passed over is in record.passed_over. Returns
// HeaderForm::none where the anchors are missing.
HeaderForm parse_columns(std::string_view line, PerfRecord& record, std::string_view& rest);

// Whether the word is what -F +misc prints: K, U, UM, Sp.
bool is_misc_column(std::string_view word);

// Whether the word is a column of virtual machines, which precede the comm: `VM:1234 VCPU:003`.
bool is_guest_column(std::string_view word);

}  // namespace aiflame
