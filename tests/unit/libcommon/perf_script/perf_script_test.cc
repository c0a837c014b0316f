// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/perf_script.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

using Kind = PerfRecord::Kind;

// A file for as long as a test needs it.
class Text {
 public:
  explicit Text(const std::string& text) : path_(testing::TempDir() + "perf_script_XXXXXX") {
    const int fd = mkstemp(path_.data());
    EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
  }
  ~Text() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string error_of(const std::string& text) {
  const Text file(text);
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

// Made by hand; every kind of record.
const std::string kRecording =
    "# gpustall 1\n"
    "# device 0 : opencl-cpu, PoCL, period 1 ms\n"
    "# a b 7/8 [000] 5.000000001: PERF_RECORD_MMAP2 7/7: [0x1000(0x200) @ 0x40 00:00 0 0]: r-xp "
    "/o b.so\n"
    "# launch 17\n"
    "\n"
    "a b 7/8 [000]     5.000000002:          1 gpu-launch: \n"
    "\t            1010 k(int)+0x0 (/o b.so)\n"
    "\t          4012ab main+0x2b (/a)\n"
    "\n"
    "# slice 5.000000000 5.010000000\n"
    "# launched 17 2 0.000000500\n"
    "# launched 17 1 -\n"
    "# launch ?\n"
    "\n"
    "a b 7/7 [000]     5.010000000:         57 gpu-stall: \n"
    "\t               0 sbid ([stall])\n"
    "\t            1020 k(int)+0x10 (/o b.so)\n"
    "\n"
    "# a b 7/8 [000] 5.010000000: PERF_RECORD_LOST lost ?\n"
    "# a b 7/8 [000] 5.010000000: PERF_RECORD_LOST lost 3 gpu-launch\n"
    "# a b 7/8 [000] 5.010000000: PERF_RECORD_MUNMAP 7/7: [0x1000(0x200)]: r-xp /o b.so\n"
    "# a b 7/8 [000] 5.010000000: PERF_RECORD_LATER x\n"
    "# end samples 57 launches ? lost 3\n"
    "\n";

TEST(PerfScript, ReadsEveryRecordOfARecording) {
  const Text file(kRecording);
  PerfScriptReader reader(file.path());
  PerfRecord r;
  const auto next = [&](Kind kind) {
    ASSERT_TRUE(reader.next(r));
    EXPECT_EQ(r.kind, kind) << r.text;
    EXPECT_TRUE(r.recorded);
  };
  next(Kind::recording);
  next(Kind::header);
  EXPECT_EQ(r.key, "device 0");
  EXPECT_EQ(r.value, "opencl-cpu, PoCL, period 1 ms");
  next(Kind::mapped);
  EXPECT_EQ(r.comm, "a b");
  EXPECT_EQ(r.pid, 7);
  EXPECT_EQ(r.cpu, 0u);
  EXPECT_EQ(r.time, 5000000001u);
  EXPECT_EQ(r.address, 0x1000u);
  EXPECT_EQ(r.size, 0x200u);
  EXPECT_EQ(r.file_offset, 0x40u);
  EXPECT_EQ(r.path, "/o b.so");
  next(Kind::launch);
  EXPECT_EQ(r.launch, 17u);
  next(Kind::sample);
  EXPECT_EQ(r.blanks, 1u);
  EXPECT_EQ(r.line, 6u);
  EXPECT_EQ(r.event, "gpu-launch");
  EXPECT_EQ(r.comm, "a b");
  EXPECT_EQ(r.tid, 8);
  EXPECT_EQ(r.period, 1u);
  ASSERT_EQ(r.frames.size(), 2u);
  EXPECT_EQ(r.frames[1], "\t          4012ab main+0x2b (/a)");
  next(Kind::slice);
  EXPECT_EQ(r.blanks, 0u);
  EXPECT_EQ(r.start, 5000000000u);
  EXPECT_EQ(r.stop, 5010000000u);
  next(Kind::launched);
  EXPECT_EQ(r.count, 2u);
  EXPECT_EQ(r.busy, 500u);
  next(Kind::launched);
  EXPECT_EQ(r.busy, std::nullopt);
  next(Kind::launch);
  EXPECT_EQ(r.launch, 0u);
  next(Kind::sample);
  EXPECT_EQ(r.period, 57u);
  next(Kind::lost);
  EXPECT_EQ(r.count, std::nullopt);
  EXPECT_FALSE(r.of_launches);
  next(Kind::lost);
  EXPECT_EQ(r.count, 3u);
  EXPECT_TRUE(r.of_launches);
  next(Kind::unmapped);
  EXPECT_EQ(r.path, "/o b.so");
  next(Kind::comment);
  next(Kind::end);
  EXPECT_EQ(r.samples, 57u);
  EXPECT_EQ(r.launches, std::nullopt);
  EXPECT_EQ(r.losses, 3u);
  EXPECT_FALSE(reader.next(r));
  EXPECT_EQ(reader.cuts(), 0u);
}

// What a writer needs: the text again, byte for byte, from what the records carry.
TEST(PerfScript, RecordsGiveTheTextBack) {
  const Text file(kRecording);
  PerfScriptReader reader(file.path());
  PerfRecord r;
  std::string again;
  while (reader.next(r)) {
    again.append(r.blanks, '\n').append(r.text).append("\n");
    for (const std::string_view frame : r.frames) again.append(frame).append("\n");
    if (r.kind == Kind::sample) again += '\n';
  }
  EXPECT_EQ(again + "\n", kRecording);
}

TEST(PerfScript, CutAtAnyByteIsReadUpToTheCut) {
  size_t before = 0;
  for (size_t size = 1; size < kRecording.size(); ++size) {
    const Text file(kRecording.substr(0, size));
    PerfScriptReader reader(file.path());
    PerfRecord record;
    size_t records = 0;
    while (reader.next(record)) ++records;
    EXPECT_EQ(reader.cuts(), 1u) << size;
    EXPECT_EQ(reader.unrecognised(), 0u) << size;
    EXPECT_GE(records, before) << size;
    before = records;
  }
}

TEST(PerfScript, ANewRecordingEndsOneThatWasCut) {
  const Text file(kRecording.substr(0, kRecording.find("\t          4012ab")) + kRecording);
  PerfScriptReader reader(file.path());
  PerfRecord record;
  int recordings = 0, samples = 0;
  while (reader.next(record)) {
    recordings += record.kind == Kind::recording;
    samples += record.kind == Kind::sample;
  }
  EXPECT_EQ(recordings, 2);
  EXPECT_EQ(samples, 2);
  EXPECT_EQ(reader.cuts(), 1u);
}

TEST(PerfScript, ErrorsOfARecordingHaveTheirLine) {
  EXPECT_EQ(error_of("# gpustall 2\n"), ":1: gpustall format 2; this program reads format 1");
  EXPECT_EQ(error_of("# gpustall 1\nwhat\n"), ":2: expected a sample, a comment or a blank line");
  EXPECT_EQ(error_of("# gpustall 1\n\na 1/1 [000] 1.0: 1 gpu-stall: \nwhat\n"),
            ":4: expected a frame or a blank line");
  EXPECT_EQ(error_of("# gpustall 1\n\na 1/1 [000] 1.0: gpu-stall: \n"),
            ":3: expected 'comm pid/tid [device] time: count event:'");
  EXPECT_EQ(error_of("# gpustall 1\n# launched 1 18446744073709551616 -\n"),
            ":2: expected '# launched N COUNT BUSY'");
  EXPECT_EQ(error_of("# gpustall 1\n# slice 2.0 1.0\n"), ":2: expected '# slice START END'");
}

// In plain perf script text the same lines are comments.
TEST(PerfScript, CommentsOfPerfAreLeftAlone) {
  EXPECT_EQ(error_of("# launched x\n# slice\n# cmdline : perf record\n#\n"), "");
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
      {"no event 12 here", "no event", 12, 12, "", 0},
  };
  for (const auto& c : cases) {
    const Text file(std::string(c.text) + "\n\n");
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
