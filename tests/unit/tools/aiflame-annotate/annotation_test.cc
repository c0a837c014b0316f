// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/annotation.h"

#include <gtest/gtest.h>

#include "libcommon/symbols/elf.h"

namespace aiflame::annotate {
namespace {

const std::string kCubin = "tests/data/cubin/kernels.sm_90.cubin";

KernelCode plain() {
  const KernelTable table{ElfFile(kCubin)};
  for (const KernelCode& kernel : table.all())
    if (kernel.name == "plain") return kernel;
  return {};
}

FunctionSamples samples_at(const std::vector<uint64_t>& offsets) {
  FunctionSamples out;
  for (const uint64_t at : offsets) {
    ++out.count;
    InstructionSamples& its = out.instructions[at];
    ++its.count;
    ++its.reasons["wait"];
  }
  return out;
}

uint64_t sum_of(const Annotation& it) {
  uint64_t code = 0, lines = 0;
  for (const AnnotatedInstruction& each : it.code) code += each.samples;
  for (const SourceLine& each : it.lines) lines += each.samples;
  EXPECT_EQ(code, lines);
  return code;
}

TEST(Annotation, HasEveryInstructionAndItsLine) {
  const uint64_t start = plain().offset;
  const Annotation it = Annotator(false).annotate(
      {"plain", "", kCubin, start}, samples_at({start + 0x10, start + 0x18, start + 0x40}));
  EXPECT_TRUE(it.whole);
  EXPECT_EQ(it.code.size(), plain().size / 16);
  EXPECT_EQ(sum_of(it), 3u);
  // what lies inside of an instruction is its own
  EXPECT_EQ(it.code[1].samples, 2u);
  EXPECT_EQ(it.code[1].reasons, (Reasons{{"wait", 2}}));
  EXPECT_EQ(it.code[4].samples, 1u);
  EXPECT_EQ(it.lines[it.code[4].line].file, "/tmp/aiflame-cubins/kernels.cu");
}

TEST(Annotation, SamplesOutsideOfTheListingAreListedToo) {
  const uint64_t start = plain().offset;
  const Annotation it = Annotator(false).annotate({"plain", "", kCubin, start},
                                                  samples_at({start, start + plain().size + 64}));
  EXPECT_EQ(it.code.size(), plain().size / 16 + 1);
  EXPECT_EQ(it.code.back().offset, plain().size + 64);
  EXPECT_EQ(sum_of(it), 2u);
}

TEST(Annotation, WithoutAnObjectTheSampledInstructionsAreAlone) {
  for (const char* object : {"", "/nonexistent/a.so"}) {
    const Annotation it =
        Annotator(false).annotate({"plain", "", object, 0x40}, samples_at({0x48, 0x80}));
    EXPECT_FALSE(it.whole);
    ASSERT_EQ(it.code.size(), 2u);
    EXPECT_EQ(it.code[0].offset, 0x8u);
    EXPECT_EQ(it.code[0].text(), "-");
    EXPECT_EQ(it.unnamed_samples, 2u);
    EXPECT_EQ(sum_of(it), 2u);
  }
}

TEST(SortedReasons, LargestFirstThenByName) {
  EXPECT_EQ(sorted_reasons({{"b", 1}, {"a", 1}, {"c", 2}}),
            (Reasons{{"c", 2}, {"a", 1}, {"b", 1}}));
}

}  // namespace
}  // namespace aiflame::annotate
