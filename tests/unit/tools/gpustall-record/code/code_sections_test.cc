// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_sections.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace aiflame::record {
namespace {

// Sections .text.a at 0xffff8000fffe0000, .text.Intel_Symbol_Table_Void_Program at 0x1000 with two
// functions, and .data, which is not code.
std::string some_elf() {
  std::string names(1, '\0'), strings(1, '\0');
  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections(1);
  const auto add = [&](const char* name, uint32_t type, uint64_t address,
                       const std::string& bytes) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<uint32_t>(names.size());
    section.sh_type = type;
    section.sh_addr = address;
    section.sh_offset = file.size();
    section.sh_size = bytes.size();
    names += name + std::string(1, '\0');
    file += bytes;
    sections.push_back(section);
  };
  add(".text.Intel_Symbol_Table_Void_Program", SHT_PROGBITS, 0x1000, std::string(64, 'f'));
  add(".text.a", SHT_PROGBITS, 0xffff8000fffe0000, std::string(32, 'a'));
  add(".text.nowhere", SHT_PROGBITS, 0, std::string(32, 'a'));
  add(".data", SHT_PROGBITS, 0x2000, std::string(8, 'd'));
  std::string symbols(sizeof(Elf64_Sym), '\0');
  const auto symbol = [&](const char* name, uint64_t value, uint64_t size) {
    Elf64_Sym one{};
    one.st_name = static_cast<uint32_t>(strings.size());
    one.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    one.st_shndx = 1;
    one.st_value = value;
    one.st_size = size;
    strings += name + std::string(1, '\0');
    symbols.append(reinterpret_cast<const char*>(&one), sizeof one);
  };
  symbol("second", 0x1010, 1000);  // longer than its section
  symbol("first", 0x1000, 16);
  symbol("outside", 0x5000, 16);
  add(".symtab", SHT_SYMTAB, 0, symbols);
  sections.back().sh_entsize = sizeof(Elf64_Sym);
  sections.back().sh_link = static_cast<uint32_t>(sections.size());
  add(".strtab", SHT_STRTAB, 0, strings);
  names += std::string(".shstrtab") + '\0';
  add("", SHT_STRTAB, 0, names);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(sections.size());
  header.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);
  std::memcpy(file.data(), &header, sizeof header);
  file.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  return file;
}

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
