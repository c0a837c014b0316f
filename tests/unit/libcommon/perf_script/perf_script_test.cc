// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/perf_script.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

std::string error_of(const std::string& text) {
  const MemoryFile file(text);
  PerfScriptReader reader(file.path());
  PerfRecord record;
  try {
    while (reader.next(record)) {
    }
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.path().size());
  }
  return "";
}

// Without the dialect, the lines of a recording are comments.
TEST(PerfScript, CommentsAreLeftAlone) {
  EXPECT_EQ(error_of("# gpustall 2\n# launched x\n# slice\n# cmdline : perf record\n#\n"), "");
}

// header | comm, pid, tid, event, period (0: none)
TEST(PerfScript, Headers) {
  const struct {
    const char* text;
    const char* comm;
    int64_t pid, tid;
    const char* event;
    uint64_t period;
  } cases[] = {
      {"java 24636/25607 [000] 4794564.109216: 1 cycles: ", "java", 24636, 25607, "cycles", 1},
      {"java 12688 [002] 6544038.708352: 235 cpu-clock: ", "java", 12688, 12688, "cpu-clock", 235},
      {"V8 WorkerThread 25607 4794564.109216: 104345 cycles:", "V8 WorkerThread", 25607, 25607,
       "cycles", 104345},
      {"java  19983 cycles:", "java", 19983, 19983, "cycles", 0},
      {"iperf 27409/28744 [000] 441995.133575: cpu-clock: ", "iperf", 27409, 28744, "cpu-clock", 0},
      {"swapper     0 [000]  1.5: cycles:u: ", "swapper", 0, 0, "cycles:u", 0},
      {"a 1/2 [000] 1.5: 1 cpu_core/cycles/P: ", "a", 1, 2, "cpu_core/cycles/P", 1},
      {":-1 -1/-1 [000] 1.5: 1 cycles: ", ":-1", -1, -1, "cycles", 1},
      {"job 12 x 123/124 [000] 1.5: 1 cycles: ", "job 12 x", 123, 124, "cycles", 1},
      {"   indented 1/2 [000] 1.5: 1 cycles: ", "indented", 1, 2, "cycles", 1},
      {"a 1/2 [000] 1.5: sched:sched_switch: prev=a", "a", 1, 2, "sched:sched_switch", 0},
      {"no event 12 ", "no event", 12, 12, "", 0},
  };
  for (const auto& c : cases) {
    const MemoryFile file(std::string(c.text) + "\n\n");
    PerfScriptReader reader(file.path());
    PerfRecord record;
    ASSERT_TRUE(reader.next(record)) << c.text;
    EXPECT_EQ(record.comm, c.comm);
    EXPECT_EQ(record.pid, c.pid) << c.text;
    EXPECT_EQ(record.tid, c.tid) << c.text;
    EXPECT_EQ(record.event, c.event);
    EXPECT_EQ(record.period.value_or(0), c.period) << c.text;
  }
}

TEST(PerfScript, Frames) {
  ScriptFrame frame;
  ASSERT_TRUE(parse_frame("\t  7f12 foo(int)+0x1f (/tmp/My App (x86)/x (deleted))", frame));
  EXPECT_EQ(frame.address, 0x7f12u);
  EXPECT_EQ(frame.symbol, "foo(int)");
  EXPECT_EQ(frame.offset, 0x1fu);
  EXPECT_EQ(frame.object, "/tmp/My App (x86)/x (deleted)");
  ASSERT_TRUE(parse_frame("\t 0 sbid ([stall])", frame));
  EXPECT_FALSE(frame.has_offset);
  ASSERT_TRUE(parse_frame("\t 0 a (b", frame) || true);
  for (const char* bad : {"", " ", ")", "()", "(", "7f12", "7f12)", " (x)", "zz (", "(a) (b"})
    EXPECT_FALSE(parse_frame(bad, frame)) << bad;
}

TEST(PerfScript, PerfDataIsNamed) {
  EXPECT_EQ(error_of("PERFILE2\x01\x02"), ": is perf.data, not text");
}

TEST(PerfScript, ASampleCannotGrowForEver) {
  std::string text = "a 1/1 [000] 1.0: 1 cycles: \n";
  for (int i = 0; i < 70000; ++i) text += " 1 f (g)\n";
  EXPECT_EQ(error_of(text), ":65538: a sample of more than 65536 frames or 64 MiB");
}

}  // namespace
}  // namespace aiflame
