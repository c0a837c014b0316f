// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/gpustall_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace aiflame {
namespace {

TEST(Gpustall, CommIsSafeAtTheStartOfALine) {
  EXPECT_EQ(gpustall_comm("matmul"), "matmul");
  EXPECT_EQ(gpustall_comm(""), "?");
  EXPECT_EQ(gpustall_comm("#1"), "?1");
  EXPECT_EQ(gpustall_comm("  x"), "? x");
  EXPECT_EQ(gpustall_comm("a b"), "a b");
  EXPECT_EQ(gpustall_comm("a b "), "a b?");  // or a reader takes it for the separator
  EXPECT_EQ(gpustall_comm("a\tb\nc"), "a?b?c");
  EXPECT_EQ(gpustall_comm("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(gpustall_comm("\xc3"), "?");
  EXPECT_EQ(gpustall_comm("a\xff"
                          "b\xed\xa0\x80"),
            "a?b???");                         // a byte; a surrogate
  EXPECT_EQ(gpustall_comm("\xc0\x80"), "??");  // overlong
}

TEST(Gpustall, Seconds) {
  EXPECT_EQ(gpustall_seconds(0), "0.000000000");
  EXPECT_EQ(gpustall_seconds(5012010000000), "5012.010000000");
}

std::string written(const std::function<void(GpustallWriter&)>& write) {
  char path[] = "/tmp/gpustall_test.XXXXXX";
  close(mkstemp(path));
  {
    Output out(path);
    GpustallWriter writer(out);
    write(writer);
    out.close();
  }
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  unlink(path);
  return text.str();
}

TEST(Gpustall, ARecording) {
  const GpustallOrigin origin{"matmul", 4711, 4713, 0, 5012000123000};
  const std::string text = written([&](GpustallWriter& writer) {
    writer.begin();
    writer.header("clock : monotonic");
    writer.slice(5012000000000, 5012010000000);
    writer.load(origin, 0x800000000a00, 0x1000, 0x40, "/o/3f2a.zebin");
    writer.launch(17, origin,
                  {{0x800000000a00, "multiply_basic", 0, "/o/3f2a.zebin"},
                   {0x4012ab, "run_basic(float*)", 0x2b, "/home/u/matmul"}});
    writer.size(17, {{1024, 1, 1}, {64, 1, 1}, 0});
    writer.launched(17, 1, 9120000);
    writer.sample(17, {"matmul", 4711, 4713, 0, 5012010000000}, 57, "gpu-stall",
                  {{0, "sbid", GpustallFrame::kNoOffset, "[stall]"},
                   {0x800000001430, "multiply_basic", 0xa30, "/o/3f2a.zebin"}});
    writer.sample(0, {"[device]", 0, 0, 0, 5012010000000}, 2, "gpu-stall",
                  {{0x10, "[unknown]", GpustallFrame::kNoOffset, "[unknown]"}});
    writer.lost(origin, 3, "");
    writer.lost(origin, GpustallWriter::kUnknown, "");
    writer.unload(origin, 0x800000000a00, 0x1000, "/o/3f2a.zebin");
    writer.end();
  });
  EXPECT_EQ(text,
            "# gpustall 1\n"
            "# clock : monotonic\n"
            "# slice 5012.000000000 5012.010000000\n"
            "# matmul 4711/4713 [000]  5012.000123000: PERF_RECORD_MMAP2 4711/4713: "
            "[0x800000000a00(0x1000) @ 0x40 00:00 0 0]: r-xp /o/3f2a.zebin\n"
            "# launch 17\n"
            "\n"
            "matmul 4711/4713 [000]  5012.000123000:          1 gpu-launch: \n"
            "\t    800000000a00 multiply_basic+0x0 (/o/3f2a.zebin)\n"
            "\t          4012ab run_basic(float*)+0x2b (/home/u/matmul)\n"
            "\n"
            "# size 17 items 1024x1x1 group 64x1x1\n"
            "# launched 17 1 0.009120000\n"
            "\n"
            "matmul 4711/4713 [000]  5012.010000000:         57 gpu-stall: \n"
            "\t               0 sbid ([stall])\n"
            "\t    800000001430 multiply_basic+0xa30 (/o/3f2a.zebin)\n"
            "\n"
            "# launch ?\n"
            "\n"
            "[device] 0/0 [000]  5012.010000000:          2 gpu-stall: \n"
            "\t              10 [unknown] ([unknown])\n"
            "\n"
            "# matmul 4711/4713 [000]  5012.000123000: PERF_RECORD_LOST lost 3\n"
            "# matmul 4711/4713 [000]  5012.000123000: PERF_RECORD_LOST lost ?\n"
            "# matmul 4711/4713 [000]  5012.000123000: PERF_RECORD_MUNMAP 4711/4713: "
            "[0x800000000a00(0x1000)]: r-xp /o/3f2a.zebin\n"
            "# end samples 59 launches 1 lost ?\n"
            "\n");
}

TEST(Gpustall, CallsAndTheTimeOfDevices) {
  const GpustallOrigin origin{"matmul", 4711, 4713, 0, 5012000123000};
  const std::string text = written([&](GpustallWriter& writer) {
    writer.begin();
    writer.launch(18, origin, {{0x7f2c9a3b1ccc, "clFinish", 0, "/usr/lib/libOpenCL.so.1.0.0"}},
                  kCallEvent);
    writer.hidden(17, 1000000);
    writer.waited(18, 2, 5120000);
    writer.idle(0, IdleKind::waits, 18, 3, 120000);
    writer.idle(1, IdleKind::after, 0, 1, 7);
    writer.end();
  });
  EXPECT_EQ(text,
            "# gpustall 1\n"
            "# launch 18\n"
            "\n"
            "matmul 4711/4713 [000]  5012.000123000:          1 gpu-call: \n"
            "\t    7f2c9a3b1ccc clFinish+0x0 (/usr/lib/libOpenCL.so.1.0.0)\n"
            "\n"
            "# hidden 17 0.001000000\n"
            "# waited 18 2 0.005120000\n"
            "# idle 0 waits 18 3 0.000120000\n"
            "# idle 1 after ? 1 0.000000007\n"
            "# end samples 0 launches 0 lost 0\n"
            "\n");
}

TEST(Gpustall, WhatBecameOfMemory) {
  const GpustallOrigin origin{"matmul", 4711, 4713, 0, 5012000123000};
  const std::string text = written([&](GpustallWriter& writer) {
    writer.begin();
    writer.launch(19, origin,
                  {{0x7f2c9a3b1ccc, "clCreateBuffer", 0, "/usr/lib/libOpenCL.so.1.0.0"}},
                  kAllocationEvent);
    writer.allocated(19, 5012000123000, 0x7f10, 1024);
    writer.freed(4711, 2, 5012000124000, 0x7f10, 1024);
    writer.freed(4711, 0, 5012000125000, 0, GpustallWriter::kUnknown);
    writer.released(4711, 5013000000000);
    writer.lost(origin, 3, kLostMemory);
    writer.end();
    EXPECT_EQ(writer.taken().memory, 3u);
    EXPECT_EQ(writer.taken().lost_memory, 3u);
    EXPECT_EQ(writer.taken().lost, 0u);
  });
  EXPECT_EQ(text,
            "# gpustall 1\n"
            "# launch 19\n"
            "\n"
            "matmul 4711/4713 [000]  5012.000123000:          1 gpu-alloc: \n"
            "\t    7f2c9a3b1ccc clCreateBuffer+0x0 (/usr/lib/libOpenCL.so.1.0.0)\n"
            "\n"
            "# allocated 19 5012.000123000 0x7f10 1024\n"
            "# freed 4711 2 5012.000124000 0x7f10 1024\n"
            "# freed 4711 0 5012.000125000 0x0 ?\n"
            "# released 4711 5013.000000000\n"
            "# matmul 4711/4713 [000]  5012.000123000: PERF_RECORD_LOST lost 3 gpu-memory\n"
            "# end samples 0 launches 0 lost 0\n"
            "\n");
}

TEST(Gpustall, TheLaunchIsWrittenAgainInEachSlice) {
  const GpustallOrigin origin{"a", 1, 1, 0, 0};
  const std::string text = written([&](GpustallWriter& writer) {
    writer.slice(0, 1);
    writer.sample(3, origin, 1, "gpu-clock", {});
    writer.sample(3, origin, 1, "gpu-clock", {});
    writer.slice(1, 2);
    writer.sample(3, origin, 1, "gpu-clock", {});
  });
  size_t said = 0;
  for (size_t at = 0; (at = text.find("# launch 3\n", at)) != std::string::npos; ++at) ++said;
  EXPECT_EQ(said, 2u);
}

}  // namespace
}  // namespace aiflame
