// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/sampled_code_table.h"

#include <gtest/gtest.h>

#include <random>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"
#include "tools/aiflame-annotate/listing.h"

namespace aiflame::annotate {
namespace {

std::string mapped(const char* path) {
  return std::string(
             "# app 7/7 [000] 1.000000000: PERF_RECORD_MMAP2 7/7: [0x1000(0x1000) @ 0x40 ") +
         "00:00 0 0]: r-xp " + path + "\n";
}

std::string sample(unsigned count, const std::string& reason, const std::string& frames,
                   const char* event = "gpu-stall") {
  return format("\napp 7/7 [000]  1.010000000:   %u %s: \n", count, event) +
         (reason.empty() ? "" : "\t 0 " + reason + " ([stall])\n") + frames + "\n";
}

const std::string kBegin = "# gpustall 1\n# launch ?\n",
                  kEnd = "# end samples ? launches ? lost 0\n\n";

SampledCodeTable read(const std::string& text) {
  SampledCodeTable out;
  out.read(ByteSource(MemoryFile(text).path()));
  return out;
}

// "KERNEL FUNCTION OBJECT START: OFFSET COUNT (REASON COUNT ...) …" of each function
std::string counted(const SampledCodeTable& table, const std::string& event = "gpu-stall") {
  std::string out;
  for (const auto& [key, function] : table.samples(event).functions) {
    out += key.kernel + " " + key.function + " " + key.object + format(" %#zx:", size_t{key.start});
    for (const auto& [at, counts] : function.instructions) {
      out += format(" %#zx %zu", size_t{at}, size_t{counts.count});
      for (const auto& [reason, count] : counts.reasons)
        out += " " + reason + format("=%zu", size_t{count});
    }
    out += "\n";
  }
  return out;
}

TEST(SampledCodeTable, CountsByInstructionAndReason) {
  const std::string at = "\t 1130 scale+0x30 (/a.so)\n";
  const SampledCodeTable table =
      read(kBegin + mapped("/a.so") + sample(5, "sbid", at) + sample(2, "pipe", at) +
           sample(1, "sbid", at) +
           sample(3, "", "\t 1230 mad+0x8 (/a.so)\n\t 1100 scale+0x0 (/a.so)\n") +
           sample(9, "", at, "gpu-clock") + kEnd);
  EXPECT_EQ(counted(table),
            "scale  /a.so 0x140: 0x170 8 pipe=2 sbid=6\n"
            "scale mad /a.so 0x268: 0x270 3\n");
  EXPECT_EQ(counted(table, "gpu-clock"), "scale  /a.so 0x140: 0x170 9\n");
  EXPECT_EQ(table.choose(""), "gpu-stall");
  EXPECT_EQ(table.choose("gpu-clock"), "gpu-clock");
  EXPECT_THROW(table.choose("cycles"), Error);
}

// Addresses are reused: the object is the one that is loaded when the sample is read.
TEST(SampledCodeTable, OtherObjectsAtTheSameAddress) {
  const std::string at = sample(1, "sbid", "\t 1130 scale+0x30 (/a.so)\n");
  const SampledCodeTable table =
      read(kBegin + mapped("/a.so") + at + mapped("/b.so") + at + at + kEnd + kBegin + at + kEnd);
  EXPECT_EQ(counted(table),
            "scale   0: 0x30 1 sbid=1\n"
            "scale  /a.so 0x140: 0x170 1 sbid=1\n"
            "scale  /b.so 0x140: 0x170 2 sbid=2\n");
}

TEST(SampledCodeTable, WhatIsOfNoKnownKernel) {
  const SampledCodeTable table = read(kBegin + sample(4, "", "\t 0 [driver kernel] ([kernel])\n") +
                                      sample(3, "", "\t 1130 [unknown] ([unknown])\n") + kEnd);
  EXPECT_EQ(counted(table), "");
  EXPECT_EQ(table.samples("gpu-stall").outside, 7u);
  EXPECT_EQ(table.samples("gpu-stall").read, 7u);
}

TEST(SampledCodeTable, WhatIsNoRecording) {
  EXPECT_THROW(read(""), Error);
  EXPECT_THROW(read("app 7 1.0: 1 cycles: \n\t 1130 f (/a)\n\n"), Error);
  EXPECT_THROW(read(kBegin + "nonsense\n"), Error);
  EXPECT_THROW(read(kBegin + sample(1, "", "\t what is this\n") + kEnd), Error);
}

// A damaged recording is refused, or every sample of it is listed or said to be of no kernel.
TEST(SampledCodeTable, DamagedInputLosesNoSamples) {
  std::string whole = kBegin + mapped("/nonexistent/a.so");
  for (unsigned i = 0; i < 40; ++i)
    whole += sample(i + 1, i % 3 == 0 ? "sbid" : "pipe",
                    format("\t %x scale+0x%x (/a.so)\n", 0x1100 + 8 * i, 8 * i));
  whole += kEnd;
  std::mt19937 random(1);
  size_t listed = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    for (int j = 0; j < 3; ++j) text[random() % text.size()] = static_cast<char>(random() % 128);
    try {
      const SampledCodeTable table = read(text);
      Settings settings;
      settings.json = i % 2 == 0;
      Output out("/dev/null");
      const Statistics result = write_listing(table, settings, out);
      EXPECT_EQ(result.listed + result.outside, result.samples);
      ++listed;
    } catch (const Error& error) {
      EXPECT_FALSE(std::string_view(error.what()).starts_with("internal")) << error.what();
    }
  }
  EXPECT_GT(listed, 0u);
}

}  // namespace
}  // namespace aiflame::annotate
