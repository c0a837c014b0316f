// SPDX-License-Identifier: MIT
// The header line of a sample of `perf script`:
//
//   V8 Worker 4711/4713 [000]  5012.010000000:     250000 cycles:u:
#pragma once

#include <optional>
#include <string_view>

#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// What a line is:
//   none       no header
//   vague      perhaps a header: it has a comm and a number, and nothing after them but a CPU and a
//              time
//   plain      a header, and nothing after it
//   with_rest  a header, and more text: a frame, or a tracepoint's arguments
//   other      `comm pid/tid [cpu] time: PERF_RECORD_…`, from perf script --show-mmap-events
enum class HeaderForm { none, vague, plain, with_rest, other };

// Parses `comm pid/tid [cpu] time: period event: rest`, where all but comm and pid may be missing.
// The comm may hold blanks and numbers. The pid is the first number that the other fields follow in
// their order. Headers with other columns are read by header_columns.h. What is left is vague: the
// pid is the first number, as in stackcollapse-perf.pl.
HeaderForm parse_header(std::string_view line, PerfRecord& record, std::string_view& rest);

// A parser for the usual headers, which takes a tenth of the time. True only where parse_header()
// would return HeaderForm::plain and fill `record` in the same way. False decides nothing: call
// parse_header() then.
[[nodiscard]] bool parse_plain_header(std::string_view line, PerfRecord& record);

// Single fields, which must be the whole text: "4711/4713", "4713", "-1/-1"; "[003]";
// "5012.000100000:".
[[nodiscard]] bool parse_pids(std::string_view field, PerfRecord& record);
std::optional<uint64_t> parse_cpu(std::string_view field);
std::optional<uint64_t> parse_time(std::string_view field);

}  // namespace aiflame
