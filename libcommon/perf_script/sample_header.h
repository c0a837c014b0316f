// SPDX-License-Identifier: MIT
// The header line of a sample of `perf script`:
//
//   V8 Worker 4711/4713 [000]  5012.010000000:     250000 cycles:u:
#pragma once

#include <optional>
#include <string_view>

#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// other: `comm pid/tid [cpu] time: PERF_RECORD_…`, of perf script --show-mmap-events and its like
enum class HeaderForm { none, vague, plain, with_rest, other };

// `comm pid/tid [cpu] time: period event: rest`, where all but comm and pid may be missing. The
// comm may hold blanks and numbers: the pid is the first number behind which the line goes on as
// it must; failing that, as stackcollapse-perf.pl has it, the first number (HeaderForm::vague).
HeaderForm parse_header(std::string_view line, PerfRecord& record, std::string_view& rest);

// The same for the lines that perf writes as a rule, at a tenth of the price: true only where
// parse_header() would say HeaderForm::plain and the same of `record`. False says nothing.
bool parse_plain_header(std::string_view line, PerfRecord& record);

// The fields, of a whole text each: "4711/4713", "4713", "-1/-1"; "[003]"; "5012.000100000:".
bool parse_pids(std::string_view field, PerfRecord& record);
std::optional<uint64_t> parse_cpu(std::string_view field);
std::optional<uint64_t> parse_time(std::string_view field);

}  // namespace aiflame
