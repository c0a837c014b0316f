// SPDX-License-Identifier: MIT
#include "plugins/agents/cupti/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace aiflame::agent::cupti {
namespace {

// A file of a section .text.scale at 0x40 with `scale` and a function inside it.
std::string some_cubin() {
  std::string file(sizeof(Elf64_Ehdr), '\0');
  file += std::string(0x100, 'i');
  Elf64_Shdr sections[4]{};
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = 0x40;
  sections[1].sh_size = 0x100;
  const std::string names("\0scale\0$scale$helper\0outside\0", 29);
  Elf64_Sym symbols[4]{};
  const uint32_t name_at[] = {0, 1, 7, 21};
  const uint64_t value[] = {0, 0, 0xb0, 0x100};
  for (int i = 1; i < 4; ++i) {
    symbols[i].st_name = name_at[i];
    symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbols[i].st_shndx = 1;
    symbols[i].st_value = value[i];
    symbols[i].st_size = 0x10;
  }
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  sections[2].sh_link = 3;
  sections[2].sh_offset = file.size();
  sections[2].sh_size = sizeof symbols;
  file.append(reinterpret_cast<const char*>(symbols), sizeof symbols);
  sections[3].sh_type = SHT_STRTAB;
  sections[3].sh_offset = file.size();
  sections[3].sh_size = names.size();
  file += names;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  file.append(reinterpret_cast<const char*>(sections), sizeof sections);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

TEST(CubinFunctions, LieWhereTheirSectionsAre) {
  const std::string file = some_cubin();
  const CubinFunctions functions = cubin_functions(file.data(), file.size());
  EXPECT_EQ(functions.count, 2u);
  EXPECT_EQ(functions.file_offset_of("scale"), 0x40u);
  EXPECT_EQ(functions.file_offset_of("$scale$helper"), 0xf0u);
  EXPECT_EQ(functions.file_offset_of("outside"), SIZE_MAX);
  EXPECT_EQ(functions.file_offset_of("nothing"), SIZE_MAX);
  std::free(functions.sorted);
}

TEST(CubinFunctions, OfACutOrBentFileAreFewer) {
  const std::string file = some_cubin();
  for (size_t bytes = 0; bytes < file.size(); ++bytes) {
    const std::string cut = file.substr(0, bytes);
    const CubinFunctions functions = cubin_functions(cut.data(), cut.size());
    EXPECT_LE(functions.count, 2u);
    std::free(functions.sorted);
  }
  for (size_t i = 0; i < file.size(); ++i) {
    std::string bent = file;
    bent[i] = '\xff';
    const CubinFunctions functions = cubin_functions(bent.data(), bent.size());
    EXPECT_LE(functions.count, kMaxCubinFunctions);
    std::free(functions.sorted);
  }
}

}  // namespace
}  // namespace aiflame::agent::cupti
