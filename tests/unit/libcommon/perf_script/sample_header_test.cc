// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/sample_header.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aiflame {
namespace {

// Whatever parse_plain_header() accepts, parse_header() reads in the same way. Returns whether it
// accepted the line.
bool check(const std::string& line) {
  PerfRecord plain, exact;
  std::string_view rest;
  if (!parse_plain_header(line, plain)) return false;
  EXPECT_EQ(parse_header(line, exact, rest), HeaderForm::plain) << line;
  EXPECT_EQ(plain.comm, exact.comm) << line;
  EXPECT_EQ(plain.has_pid, exact.has_pid) << line;
  EXPECT_EQ(plain.pid, exact.pid) << line;
  EXPECT_EQ(plain.tid, exact.tid) << line;
  EXPECT_EQ(plain.cpu, exact.cpu) << line;
  EXPECT_EQ(plain.time, exact.time) << line;
  EXPECT_EQ(plain.period, exact.period) << line;
  EXPECT_EQ(plain.event, exact.event) << line;
  return true;
}

TEST(PlainHeader, KnowsTheFormsPerfWrites) {
  EXPECT_TRUE(check("java  3244 cpu-clock: "));
  EXPECT_TRUE(check("V8 WorkerThread 24636/24637 [003]  6511.123456:     250000 cycles:u: "));
  EXPECT_TRUE(check("swapper     0/0     [001] 99999.000000001:          1 sched:sched_switch:"));
  EXPECT_TRUE(check("a 1/2 5.5: e:"));
  EXPECT_TRUE(check("  indented 12 cpu_core/cycles/P:"));
}

TEST(PlainHeader, LeavesOddOnesAlone) {
  for (const char* line :
       {"", " ", "a", "a 1", "a 1/", "a 1 2 3",
        "a -1/-1 5.5: 1 e:", "a 3com 7/8 5.5: 1 e:", "a 1/2 5.5: 1 e: 4012ab main (/a)",
        "a 1/2 [x] 5.5: 1 e:", "a 1/2 [1]5.5: 1 e:", "a 1/2 5.1234567890: 1 e:",
        "a 1/2 12345678901.5: 1 e:", "a 1/2 5.5: PERF_RECORD_MMAP2:", "a 1/2 5.5: 1 :",
        "a 1/2 5.5: 1 2 e:", "a 1/2 5.5: 1 e:\r", "a 9999999999999999999/2 5.5: 1 e:"})
    EXPECT_FALSE(check(line)) << line;
}

// Lines of random pieces of headers.
TEST(PlainHeader, AgreesWithParseHeader) {
  constexpr const char* kPieces[] = {"a",
                                     "V8",
                                     " ",
                                     "  ",
                                     "\t",
                                     "1",
                                     "42",
                                     "/",
                                     "-1",
                                     "-",
                                     "[",
                                     "]",
                                     "[3]",
                                     "[03]",
                                     ".",
                                     ":",
                                     "5.5:",
                                     "7.123456:",
                                     "e:",
                                     "x:y:u:",
                                     "0x1f",
                                     "#",
                                     "PERF_RECORD_MMAP2",
                                     "(",
                                     ")",
                                     "\r",
                                     "123456789012345678",
                                     "9",
                                     "1/2"};
  std::mt19937 random(1);
  unsigned plain = 0;
  for (unsigned i = 0; i < 400000; ++i) {
    std::string line;
    // most lines begin correctly, else hardly one would be plain
    if (i % 4 != 0) line = i % 3 == 0 ? "comm 1/2 " : "co mm  12 [001] 5.25: ";
    for (auto n = random() % 9; n > 0; --n) {
      line += kPieces[random() % std::size(kPieces)];
      if (random() % 2 == 0) line += ' ';
    }
    plain += check(line) ? 1 : 0;
  }
  EXPECT_GT(plain, 1000u);
}

}  // namespace
}  // namespace aiflame
