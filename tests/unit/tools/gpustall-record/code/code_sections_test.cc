// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_sections.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/tools/gpustall-record/code/some_elf.h"

namespace aiflame::record {
namespace {

TEST(CodeSections, SectionsWithAddressesAreCode) {
  const auto code = read_code_sections(some_elf());
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].address, 0x1000u);
  EXPECT_EQ(code[0].bytes, 64u);
  EXPECT_EQ(code[0].file_offset, sizeof(Elf64_Ehdr));
  EXPECT_EQ(code[0].kernel, "");
  ASSERT_EQ(code[0].functions.size(), 2u);
  EXPECT_EQ(code[0].functions[0].name, "first");
  EXPECT_EQ(code[0].functions[1].name, "second");
  EXPECT_EQ(code[0].functions[1].bytes, 48u);
  EXPECT_EQ(code[1].address, 0x8000fffe0000u);
  EXPECT_EQ(code[1].kernel, "a");
}

TEST(CodeSections, OtherFilesHaveNone) {
  EXPECT_TRUE(read_code_sections("").empty());
  EXPECT_TRUE(read_code_sections("CTNI and so on").empty());
  EXPECT_TRUE(read_code_sections(std::string(4096, '\x7f')).empty());
}

// A file that is truncated anywhere, or has any byte changed, is read without a crash, and no
// section is longer than the file.
TEST(CodeSections, SurvivesDamage) {
  const std::string whole = some_elf();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) read_code_sections(whole.substr(0, bytes));
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      for (const CodeSection& code : read_code_sections(damaged)) {
        EXPECT_LE(code.bytes, damaged.size());
        for (const CodeSection::Function& f : code.functions) EXPECT_LE(f.bytes, code.bytes);
      }
    }
}

// A file without addresses gets them from a base.
TEST(CodeSections, AtABaseTheyLieAsInTheFile) {
  const std::string elf = some_elf();
  const auto code = read_code_sections(elf, 0x100000000000);
  ASSERT_EQ(code.size(), 3u);
  for (const CodeSection& one : code) {
    EXPECT_EQ(one.address, 0x100000000000 + one.file_offset);
    EXPECT_LE(one.file_offset + one.bytes, elf.size());
  }
  EXPECT_EQ(code[1].kernel, "a");
  EXPECT_EQ(code[2].kernel, "nowhere");
  ASSERT_EQ(code[0].functions.size(), 2u);
  // a symbol's value counts from the section's address
  EXPECT_EQ(code[0].functions[1].name, "second");
  EXPECT_EQ(code[0].functions[1].address, code[0].address + 0x10);
}

}  // namespace
}  // namespace aiflame::record
