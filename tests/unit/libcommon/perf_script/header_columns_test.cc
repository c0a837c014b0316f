// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/header_columns.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

// The fields of a header as one text: comm|pid/tid|cpu|time|period|event|column|rest.
std::string fields(const std::string& line) {
  PerfRecord record;
  std::string_view rest;
  const HeaderForm form = parse_header(line, record, rest);
  if (form == HeaderForm::none) return "none";
  if (form == HeaderForm::vague) return "vague";
  if (form == HeaderForm::other) return "other";
  std::string out(record.comm);
  out +=
      '|' + (record.has_pid ? std::to_string(record.pid) + "/" : "") + std::to_string(record.tid);
  out += '|' + (record.cpu ? std::to_string(*record.cpu) : "");
  out += '|' + (record.time ? std::to_string(*record.time) : "");
  out += '|' + (record.period ? std::to_string(*record.period) : "");
  out.append("|").append(record.event).append("|").append(record.passed_over);
  if (form == HeaderForm::with_rest) out.append("|").append(rest);
  return out;
}

// Lines of perf 6.1.
TEST(HeaderColumns, MissingAndUnknownOnes) {
  const char* cases[][2] = {
      {"python3.11 17630 [000] U     5.5:     250000 cpu-clock: ",
       "python3.11|17630|0|5500000000|250000|cpu-clock|U"},
      {"work 1000/1001 U    [003]    5.5:     250000 cycles:u: ",
       "work|1000/1001|3|5500000000|250000|cycles:u|U"},
      {"sh 14434 U         250000 cpu-clock: ", "sh|14434|||250000|cpu-clock|U"},
      {"sh 14434 [000] U         250000 cpu-clock: ", "sh|14434|0||250000|cpu-clock|U"},
      {"a b 17630 [000] 2026-11-27 07:45:54.292807 5.5:     250000 cpu-clock: ",
       "a b|17630|0|5500000000|250000|cpu-clock|2026-11-27"},
      {"a 17630 2026-11-27 07:45:54.292807 5.5:     250000 cpu-clock:                0",
       "a|17630||5500000000|250000|cpu-clock|2026-11-27|0"},
      {"14434 5.5:     250000 cpu-clock: ", "|14434||5500000000|250000|cpu-clock|"},
      {"  21452/21453 [001] 5.5:     201198 cpu-clock:ppp: ",
       "|21452/21453|1|5500000000|201198|cpu-clock:ppp|"},
      {"14434     250000 cpu-clock: ", "|14434|||250000|cpu-clock|"},
      {"sh 5.5:     250000 cpu-clock: ", "sh|-1||5500000000|250000|cpu-clock|"},
      {"V8 Worker [002] 5.5:     250000 cpu-clock: ",
       "V8 Worker|-1|2|5500000000|250000|cpu-clock|"},
      {"sh [002]     250000 cpu-clock: ", "sh|-1|2||250000|cpu-clock|"},
      {"sh U     5.5:     250000 cpu-clock: ", "sh|-1||5500000000|250000|cpu-clock|U"},
      {"5.5:     250000 cpu-clock: ", "|-1||5500000000|250000|cpu-clock|"},
      {"sh 14434 5.5:     250000 ", "sh|14434||5500000000|250000||"},
      {"sh 14434 5.5:     250000    7f00", "sh|14434||5500000000|250000||"},
      {"sh 14434 5.5: ", "sh|14434||5500000000|||"},
      {"sh 14434 [000] 5.5: 7 250000 cycles:P: ", "sh|14434|0|5500000000|250000|cycles:P|7"},
      {"VM:1234 VCPU:003 sh 14434 5.5: 250000 cycles: ",
       "sh|14434||5500000000|250000|cycles|VM:1234"},
      {"1234 5678/5679 [000] 5.5: 1 e: ", "1234|5678/5679|0|5500000000|1|e|"},
      {"job 12 x 123/124 U [000] 5.5: 2 cycles: ", "job 12 x|123/124|0|5500000000|2|cycles|U"},
      {"sh 14434 U 5.5: 250000 cycles:  401146 work+0x1 (/x)",
       "sh|14434||5500000000|250000|cycles|U|401146 work+0x1 (/x)"},
      {"sh 7 [000] K         0.000000: PERF_RECORD_MMAP -1/0: [0xffff(0x1) @ 0]: x y", "other"},
  };
  for (const auto& [line, expected] : cases) EXPECT_EQ(fields(line), expected) << line;
}

// What perf and its libraries write on standard error, and Intel PT's losses.
TEST(HeaderColumns, OtherTextIsNoHeader) {
  for (
      const char* line :
      {" instruction trace error type 1 time 4525.744123981 cpu 0 pid 21595 tid 21595 ip 0 code 8: "
       "Lost trace data",
       "Processed 12345 events and lost 3 chunks!", "Check IO/CPU overload!",
       "addr2line: Dwarf Error: found dwarf version '5', this reader only handles version 2, 3 and "
       "4 information.",
       "[ perf record: Captured and wrote 0.071 MB perf.data (113 samples) ]",
       "Failed to open /tmp/perf-21595.map, continuing without symbols",
       "cmd__addr2line /usr/bin/x: could not read first record", "warning 5 times", ""})
    EXPECT_EQ(fields(line), "none") << line;
}

TEST(HeaderColumns, WithoutAnEventTheHeaderIsVague) {
  for (const char* line : {"sh 14434 ", "V8 Worker 12/13", "sh 14434 [003] ", "sh 14434 U      "})
    EXPECT_EQ(fields(line), "vague") << line;
}

}  // namespace
}  // namespace aiflame
