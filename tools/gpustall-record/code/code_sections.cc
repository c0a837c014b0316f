// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_sections.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace aiflame::record {
namespace {

// A module has a section for each kernel. The largest ones, of frameworks, have some thousand.
constexpr size_t kMaxSections = 1 << 16;
constexpr size_t kMaxSymbols = 1 << 17;
// The names of all functions and kernels, and a string table. Names of C++ templates may have some
// thousand bytes each.
constexpr size_t kMaxNames = 16 << 20;
constexpr size_t kMaxName = 4096;  // AGENT_MAX_NAME

template <typename T>
std::optional<T> read_at(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

// The string at `offset` of a string table, without its 0 byte.
std::string_view text_at(std::string_view file, const Elf64_Shdr& strings, uint64_t offset) {
  if (offset >= strings.sh_size || strings.sh_size > kMaxNames || strings.sh_offset > file.size() ||
      file.size() - strings.sh_offset < strings.sh_size)
    return {};
  const std::string_view rest = file.substr(strings.sh_offset + offset, strings.sh_size - offset);
  const size_t end = rest.find('\0');
  // npos, no 0 byte, is beyond it too
  return end > kMaxName ? std::string_view{} : rest.substr(0, end);
}

uint64_t without_sign(uint64_t address) {
  constexpr uint64_t kSign = uint64_t{0xffff} << 48;
  return (address & kSign) == kSign ? address & ~kSign : address;
}

std::vector<Elf64_Shdr> sections_of(std::string_view file, size_t& names_index) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  std::vector<Elf64_Shdr> sections;
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff == 0)
    return sections;
  // when the counts do not fit into the header, the first section has them (gABI)
  const auto first = read_at<Elf64_Shdr>(file, header->e_shoff);
  if (!first) return sections;
  const uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  names_index = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first->sh_link;
  for (uint64_t i = 0; i < std::min<uint64_t>(count, kMaxSections); ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    sections.push_back(*section);
  }
  return sections;
}

// False when there are too many.
bool add_functions(std::string_view file, const std::vector<Elf64_Shdr>& sections,
                   const std::vector<size_t>& code_of_section, uint64_t base, size_t name_bytes,
                   std::vector<CodeSection>& code) {
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_entsize != sizeof(Elf64_Sym) ||
        table.sh_link >= sections.size())
      continue;
    const uint64_t count = std::min<uint64_t>(table.sh_size / sizeof(Elf64_Sym), kMaxSymbols);
    for (uint64_t i = 0; i < count; ++i) {
      const auto symbol = read_at<Elf64_Sym>(file, table.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0 ||
          symbol->st_shndx >= sections.size() || code_of_section[symbol->st_shndx] == SIZE_MAX)
        continue;
      CodeSection& in = code[code_of_section[symbol->st_shndx]];
      // a symbol's value counts from the section's address, which is 0 in a cubin
      const uint64_t section_address = sections[symbol->st_shndx].sh_addr;
      const uint64_t address = base == 0 ? without_sign(symbol->st_value)
                                         : in.address + (symbol->st_value - section_address);
      const std::string_view name = text_at(file, sections[table.sh_link], symbol->st_name);
      if (name.empty() || address < in.address || address - in.address >= in.bytes) continue;
      name_bytes += name.size();
      if (name_bytes > kMaxNames) return false;
      const uint64_t bytes = std::min<uint64_t>(symbol->st_size, in.bytes - (address - in.address));
      in.functions.push_back({address, bytes, std::string(name)});
    }
    return count == table.sh_size / sizeof(Elf64_Sym);  // a file has one symbol table
  }
  return true;
}

}  // namespace

std::vector<CodeSection> read_code_sections(std::string_view object, uint64_t base, bool* is_cut) {
  bool ignored = false;
  if (is_cut == nullptr) is_cut = &ignored;
  constexpr std::string_view kPrefix = ".text.";
  // Intel's compiler puts a module's external functions and global tables there
  constexpr std::string_view kShared = "Intel_Symbol_Table_Void_Program";
  size_t names_index = 0;
  const std::vector<Elf64_Shdr> sections = sections_of(object, names_index);
  std::vector<CodeSection> code;
  if (names_index >= sections.size()) return code;
  std::vector<size_t> code_of_section(sections.size(), SIZE_MAX);
  size_t name_bytes = 0;
  for (size_t i = 0; i < sections.size(); ++i) {
    const Elf64_Shdr& section = sections[i];
    const std::string_view name = text_at(object, sections[names_index], section.sh_name);
    if (section.sh_type != SHT_PROGBITS || name.substr(0, kPrefix.size()) != kPrefix ||
        (base == 0 && section.sh_addr == 0) || section.sh_size == 0 ||
        section.sh_size > object.size() ||
        (base != 0 && section.sh_offset > object.size() - section.sh_size))
      continue;
    name_bytes += name.size();
    if (name_bytes > kMaxNames) {
      *is_cut = true;
      break;
    }
    CodeSection one;
    one.address = base == 0 ? without_sign(section.sh_addr) : base + section.sh_offset;
    one.bytes = section.sh_size;
    one.file_offset = section.sh_offset;
    one.kernel = name.substr(kPrefix.size());
    if (one.kernel == kShared) one.kernel.clear();
    code_of_section[i] = code.size();
    code.push_back(std::move(one));
  }
  if (!add_functions(object, sections, code_of_section, base, name_bytes, code)) *is_cut = true;
  for (CodeSection& one : code)
    std::sort(one.functions.begin(), one.functions.end(), [](const auto& a, const auto& b) {
      return a.address != b.address ? a.address < b.address : a.name < b.name;
    });
  std::sort(code.begin(), code.end(),
            [](const CodeSection& a, const CodeSection& b) { return a.address < b.address; });
  return code;
}

}  // namespace aiflame::record
