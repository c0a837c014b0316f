// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/cubin_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/objects/object_opener.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {
namespace {

// .nv.info of tests/data/cubin/kernels.sm_80.cubin, of `plain`; between them, an attribute without
// content.
const std::string kInfo(
    "\x04\x2f\x08\x00\x16\x00\x00\x00\x0e\x00\x00\x00"
    "\x01\x35\x00\x00"
    "\x04\x11\x08\x00\x16\x00\x00\x00\x10\x00\x00\x00"
    "\x04\x12\x08\x00\x16\x00\x00\x00\x20\x00\x00\x00",
    40);

TEST(CubinFacts, OfASymbol) {
  const KernelFacts facts = cubin_facts(kInfo, 0x16);
  EXPECT_EQ(facts.registers, 14u);
  EXPECT_EQ(facts.scratch, 0x20u);
  EXPECT_EQ(cubin_facts(kInfo, 0x15), KernelFacts());
}

TEST(CubinFacts, EachBeginningIsRead) {
  for (size_t size = 0; size < kInfo.size(); ++size)
    EXPECT_LE(cubin_facts(kInfo.substr(0, size), 0x16).registers.value_or(0), 14u);
}

// What `cuobjdump -res-usage` prints of these files.
TEST(CubinFacts, OfGenuineObjects) {
  struct Known {
    const char *file, *kernel;
    uint64_t registers, local;
  };
  for (const Known& known : {Known{"kernels.sm_80.cubin", "plain", 14, 0},
                             Known{"kernels.sm_80.cubin", "_Z9templatedIfEvPT_PKS0_i", 12, 128},
                             Known{"kernels.sm_100.cubin", "plain", 16, 0},
                             Known{"kernels.sm_90.cubin", "_Z9templatedIfEvPT_PKS0_i", 12, 1152}}) {
    const std::string path = std::string("tests/data/cubin/") + known.file;
    ObjectOpener opener;
    const std::unique_ptr<ObjectFile> object = opener.open(path);
    uint64_t offset = 0;
    for (const ElfSection& section : ElfFile(path).sections())
      if (section.name == std::string(".text.") + known.kernel) offset = section.offset;
    const KernelFacts facts = object->kernel_facts_at(offset);
    EXPECT_EQ(facts.registers, known.registers) << path << " " << known.kernel;
    EXPECT_EQ(facts.static_local, known.local) << path << " " << known.kernel;
    EXPECT_EQ(facts.scratch, 0u);
    EXPECT_EQ(object->kernel_facts_at(1), KernelFacts());
    const LaunchSize size{{1 << 20, 1, 1}, {256, 1, 1}, 0};
    EXPECT_EQ(object->occupancy_at(offset, facts, size).percent, 100u);
  }
}

}  // namespace
}  // namespace aiflame
