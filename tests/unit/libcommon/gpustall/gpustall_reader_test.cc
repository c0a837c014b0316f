// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/gpustall_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

using Kind = GpustallRecord::Kind;

std::string error_of(const std::string& text) {
  const MemoryFile file(text);
  GpustallReader reader(file.path());
  GpustallRecord record;
  try {
    while (reader.next(record)) {
    }
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.path().size());
  }
  return "";
}

// Written by hand, with every kind of record.
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

TEST(GpustallReader, ReadsEveryRecordOfARecording) {
  const MemoryFile file(kRecording);
  GpustallReader reader(file.path());
  GpustallRecord r;
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

// The records carry enough to write the same text again, byte for byte.
TEST(GpustallReader, RecordsGiveTheTextBack) {
  const MemoryFile file(kRecording);
  GpustallReader reader(file.path());
  GpustallRecord r;
  std::string again;
  while (reader.next(r)) {
    again.append(r.blanks, '\n').append(r.text).append("\n");
    for (const std::string_view frame : r.frames) again.append(frame).append("\n");
    if (r.kind == Kind::sample) again += '\n';
  }
  EXPECT_EQ(again + "\n", kRecording);
}

TEST(GpustallReader, CutAtAnyByteIsReadUpToTheCut) {
  size_t before = 0;
  for (size_t size = 1; size < kRecording.size(); ++size) {
    const MemoryFile file(kRecording.substr(0, size));
    GpustallReader reader(file.path());
    GpustallRecord record;
    size_t records = 0;
    while (reader.next(record)) ++records;
    EXPECT_EQ(reader.cuts(), 1u) << size;
    EXPECT_EQ(reader.unrecognised(), 0u) << size;
    EXPECT_GE(records, before) << size;
    before = records;
  }
}

TEST(GpustallReader, ANewRecordingEndsOneThatWasCut) {
  const MemoryFile file(kRecording.substr(0, kRecording.find("\t          4012ab")) + kRecording);
  GpustallReader reader(file.path());
  GpustallRecord record;
  int recordings = 0, samples = 0;
  while (reader.next(record)) {
    recordings += record.kind == Kind::recording;
    samples += record.kind == Kind::sample;
  }
  EXPECT_EQ(recordings, 2);
  EXPECT_EQ(samples, 2);
  EXPECT_EQ(reader.cuts(), 1u);
}

TEST(GpustallReader, ReadsTheTimeOfDevices) {
  const MemoryFile file(
      "# gpustall 1\n# hidden 17 0.001000000\n# waited 18 2 0.005120000\n"
      "# idle 1 latency 18 3 0.000120000\n# idle 0 after ? 1 0.000000007\n"
      "# idle 0 dreams 3 1 1.0\n# idle : a header\n");
  GpustallReader reader(file.path());
  GpustallRecord r;
  const auto next = [&](Kind kind, uint64_t launch, uint64_t ns) {
    ASSERT_TRUE(reader.next(r));
    EXPECT_EQ(r.kind, kind) << r.text;
    EXPECT_EQ(r.launch, launch);
    EXPECT_EQ(r.busy, ns);
  };
  ASSERT_TRUE(reader.next(r));
  next(Kind::hidden, 17, 1000000);
  next(Kind::waited, 18, 5120000);
  EXPECT_EQ(r.count, 2u);
  next(Kind::idle, 18, 120000);
  EXPECT_EQ(r.device, 1u);
  EXPECT_EQ(r.idle, IdleKind::latency);
  EXPECT_EQ(r.count, 3u);
  next(Kind::idle, 0, 7);
  EXPECT_EQ(r.idle, IdleKind::after);
  ASSERT_TRUE(reader.next(r));
  EXPECT_EQ(r.kind, Kind::comment) << "a kind of a later writer";
  ASSERT_TRUE(reader.next(r));
  EXPECT_EQ(r.kind, Kind::header);
}

TEST(GpustallReader, ReadsWhatBecameOfMemory) {
  const MemoryFile file(
      "# gpustall 1\n# memory 0 : 1024 bytes\n# allocated 19 5.000000001 0x7f10 1024\n"
      "# freed 4711 2 5.000000002 0x7f10 1024\n# freed 4711 0 5.0 0x0 ?\n# released 4711 6.5\n"
      "# a 7/7 [000] 5.01: PERF_RECORD_LOST lost 3 gpu-memory\n");
  GpustallReader reader(file.path());
  GpustallRecord r;
  const auto next = [&](Kind kind) {
    ASSERT_TRUE(reader.next(r));
    EXPECT_EQ(r.kind, kind) << r.text;
  };
  next(Kind::recording);
  next(Kind::header);
  EXPECT_EQ(r.key, "memory 0");
  next(Kind::allocated);
  EXPECT_EQ(r.launch, 19u);
  EXPECT_EQ(r.start, 5000000001u);
  EXPECT_EQ(r.address, 0x7f10u);
  EXPECT_EQ(r.count, 1024u);
  next(Kind::freed);
  EXPECT_EQ(r.pid, 4711);
  EXPECT_EQ(r.device, 2u);
  EXPECT_EQ(r.start, 5000000002u);
  EXPECT_EQ(r.address, 0x7f10u);
  EXPECT_EQ(r.count, 1024u);
  next(Kind::freed);
  EXPECT_EQ(r.address, 0u);
  EXPECT_EQ(r.count, std::nullopt);
  next(Kind::released);
  EXPECT_EQ(r.pid, 4711);
  EXPECT_EQ(r.start, 6500000000u);
  next(Kind::lost);
  EXPECT_TRUE(r.of_memory);
  EXPECT_FALSE(r.of_launches);
  EXPECT_EQ(r.count, 3u);
}

TEST(GpustallReader, ErrorsOfARecordingHaveTheirLine) {
  for (const char* line : {"0 1.0 0x1 1", "1 - 0x1 1", "1 1.0 1 1", "1 1.0 0x 1", "1 1.0 0x1 ?",
                           "1 1.0 0x1 281474976710657", "1 1.0 0x1 1 1", "1 1.0 0x1", ""})
    EXPECT_EQ(error_of(std::string("# gpustall 1\n# allocated ") + line + "\n"),
              ":2: expected '# allocated N TIME ADDRESS BYTES'")
        << line;
  for (const char* line :
       {"-1 0 1.0 0x1 1", "4294967296 0 1.0 0x1 1", "1 x 1.0 0x1 1", "1 0 x 0x1 1", "1 0 1.0 1 1",
        "1 0 1.0 0x1 -", "1 0 1.0 0x1", "1 0 1.0 0x1 281474976710657", "1 0 1.0 0x1 1 1"})
    EXPECT_EQ(error_of(std::string("# gpustall 1\n# freed ") + line + "\n"),
              ":2: expected '# freed PID DEVICE TIME ADDRESS BYTES' or a '?' for BYTES")
        << line;
  for (const char* line : {"x 1.0", "1", "1 1.0 1"})
    EXPECT_EQ(error_of(std::string("# gpustall 1\n# released ") + line + "\n"),
              ":2: expected '# released PID TIME'")
        << line;
  EXPECT_EQ(error_of("# gpustall 1\n# hidden 1 -\n"), ":2: expected '# hidden N SECONDS'");
  EXPECT_EQ(error_of("# gpustall 1\n# waited 0 1 1.0\n"),
            ":2: expected '# waited N COUNT SECONDS'");
  for (const char* line : {"0 waits 0 1 1.0", "x waits 1 1 1.0", "0 waits 1 1 1.0 2", "0"})
    EXPECT_EQ(error_of(std::string("# gpustall 1\n# idle ") + line + "\n"),
              ":2: expected '# idle DEVICE KIND N COUNT SECONDS' or a '?' for N");

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
TEST(GpustallReader, CommentsOfPerfAreLeftAlone) {
  EXPECT_EQ(error_of("# launched x\n# slice\n# cmdline : perf record\n#\n"), "");
}

}  // namespace
}  // namespace aiflame
