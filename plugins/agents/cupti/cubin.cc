/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "plugins/agents/common/hash.h"

namespace aiflame::agent::cupti {
namespace {

uint64_t name_hash(const char* name) {
  return hash_bytes(name, std::strlen(name));
}

class File {
 public:
  File(const void* content, size_t bytes)
      : content_(static_cast<const char*>(content)), bytes_(bytes) {}
  template <typename T>
  bool read(uint64_t offset, T& out) const {
    if (offset > bytes_ || bytes_ - offset < sizeof(T)) return false;
    std::memcpy(&out, content_ + offset, sizeof out);
    return true;
  }
  // The text that a 0 byte ends within [offset, offset + limit); null without one.
  const char* text(uint64_t offset, uint64_t limit) const {
    if (offset > bytes_) return nullptr;
    const uint64_t most = std::min<uint64_t>(limit, bytes_ - offset);
    return std::memchr(content_ + offset, 0, most) == nullptr ? nullptr : content_ + offset;
  }

 private:
  const char* content_;
  size_t bytes_;
};

// Calls `found(symbol, name, section)` for each function of a symbol table.
template <typename Found>
void for_each_function(const File& file, const Elf64_Ehdr& header, const Elf64_Shdr& table,
                       Found found) {
  Elf64_Shdr strings;
  if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_link >= header.e_shnum ||
      !file.read(header.e_shoff + table.sh_link * sizeof strings, strings))
    return;
  const uint64_t symbols = table.sh_size / sizeof(Elf64_Sym);
  for (uint64_t i = 0; i < symbols; ++i) {
    Elf64_Sym symbol;
    if (!file.read(table.sh_offset + i * sizeof symbol, symbol)) return;
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_shndx >= header.e_shnum || symbol.st_name >= strings.sh_size)
      continue;
    Elf64_Shdr section;
    if (!file.read(header.e_shoff + symbol.st_shndx * sizeof section, section)) return;
    if (section.sh_type != SHT_PROGBITS || symbol.st_value < section.sh_addr ||
        symbol.st_value - section.sh_addr >= section.sh_size)
      continue;
    const char* name =
        file.text(strings.sh_offset + symbol.st_name, strings.sh_size - symbol.st_name);
    if (name != nullptr && *name != '\0' && !found(symbol, name, section)) return;
  }
}

}  // namespace

uint64_t CubinFunctions::file_offset_of(const char* name) const {
  return file_offset_by(name_hash(name));
}

uint64_t CubinFunctions::file_offset_by(uint64_t hash) const {
  const CubinFunction* found = std::lower_bound(
      sorted, sorted + count, hash,
      [](const CubinFunction& f, uint64_t wanted) { return f.name_hash < wanted; });
  return found == sorted + count || found->name_hash != hash ? SIZE_MAX : found->file_offset;
}

CubinFunctions cubin_functions(const void* content, size_t bytes) {
  CubinFunctions functions;
  const File file(content, bytes);
  Elf64_Ehdr header;
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
    return functions;
  uint32_t room = 0;
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table;
    if (!file.read(header.e_shoff + i * sizeof table, table)) break;
    if (table.sh_type != SHT_SYMTAB) continue;
    for_each_function(
        file, header, table, [&](const Elf64_Sym& symbol, const char* name, const Elf64_Shdr& in) {
          if (functions.count == room) {
            const uint32_t more = room == 0 ? 64 : room * 2;
            if (more > kMaxCubinFunctions) return false;
            void* grown = std::realloc(functions.sorted, more * sizeof(CubinFunction));
            if (grown == nullptr) return false;
            functions.sorted = static_cast<CubinFunction*>(grown);
            room = more;
          }
          functions.sorted[functions.count++] = {name_hash(name),
                                                 in.sh_offset + (symbol.st_value - in.sh_addr)};
          return true;
        });
  }
  std::sort(functions.sorted, functions.sorted + functions.count,
            [](const CubinFunction& a, const CubinFunction& b) {
              return a.name_hash != b.name_hash ? a.name_hash < b.name_hash
                                                : a.file_offset < b.file_offset;
            });
  return functions;
}

}  // namespace aiflame::agent::cupti
