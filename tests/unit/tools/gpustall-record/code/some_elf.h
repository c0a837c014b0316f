// SPDX-License-Identifier: MIT
// An ELF file with device code, made by hand, for the tests of its readers.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace aiflame::record {

// Sections .text.a at 0xffff8000fffe0000, .text.Intel_Symbol_Table_Void_Program at 0x1000 with two
// functions, and .data, which is not code.
inline std::string some_elf() {
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

}  // namespace aiflame::record
