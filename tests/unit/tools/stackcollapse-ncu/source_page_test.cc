// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-ncu/source_page.h"

#include <gtest/gtest.h>

#include "tests/unit/libcommon/import/damage.h"

namespace aiflame::ncu {
namespace {

TEST(SourcePage, Numbers) {
  EXPECT_EQ(parse_samples("1,024"), 1024U);
  EXPECT_EQ(parse_samples(" 7.00"), 7U);
  EXPECT_EQ(parse_samples(""), 0U);
  EXPECT_EQ(parse_samples("-"), 0U);
  EXPECT_EQ(parse_samples("(!) n/a"), 0U);
  EXPECT_EQ(parse_samples("7.5"), std::nullopt);
  EXPECT_EQ(parse_samples("inst"), std::nullopt);
  EXPECT_EQ(parse_samples("18446744073709551616"), std::nullopt);
}

// made by hand
constexpr const char* kSass =
    "\"Kernel Name\",\"mm\",\n"
    "\"Address\",\"Source\",\"# Samples\",\"stall_wait\",\"stall_wait (Not Issued)\"\n"
    "\"0x10\",\"MOV R1, R2\",\"1,042\",\"1,040\",\"7\"\n"
    "\"0x20\",\"EXIT\",\"3\",\"3\",\"0\"\n";
constexpr const char* kCudaSass =
    "\"File Path\",\"/src/mm.cu\"\n\"Function Name\",\"mm\"\n"
    "\"Line No\",\"Source\",\"Address\",\"Source\",\"# Samples\",\"stall_wait\"\n"
    "\"41\",\"a, b\",\"-\",\"-\",\"5\",\"5\"\n"
    "\"\",\"\",\"0x20\",\"MOV R1, R2\",\"5\",\"5\"\n"
    "\"\",\"\",\"...\",\"...\",\"-\",\"-\"\n"
    "\"42\",\"\"r\"(a), \"b\",\"c\"\",\"-\",\"-\",\"5\",\"5\"\n"
    "\"\",\"\",\"0x20\",\"MOV R1, R2\",\"5\",\"5\"\n";

SourceRules rules(Samples samples = Samples::all) {
  return {.names = {}, .samples = samples};
}

TEST(SourcePage, Damaged) {
  for (const char* page : {kSass, kCudaSass}) {
    for (const Samples samples : {Samples::all, Samples::exposed}) {
      const auto read = [&](const std::string& path, ImportedStacks& stacks) {
        read_source_page(path, rules(samples), stacks);
      };
      sweep_damage(page, read);
      if (samples == Samples::all) {
        EXPECT_EQ(import_bytes(page, read), "");
      }
    }
  }
}

}  // namespace
}  // namespace aiflame::ncu
