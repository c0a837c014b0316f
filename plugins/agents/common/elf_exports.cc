/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/elf_exports.h"

#include <elf.h>

#include <cstring>

namespace aiflame::agent {
namespace {

struct Tables {
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  uint64_t name_bytes = 0;
  const uint32_t* hash = nullptr;  // DT_GNU_HASH
};

// glibc has relocated the addresses in the dynamic section, except in the vdso, whose section is
// read-only. musl relocates none.
bool find_tables(const dl_phdr_info& object, Tables& out) {
  const Elf64_Dyn* dynamic = nullptr;
  for (unsigned i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const Elf64_Dyn*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    const uint64_t value = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_STRSZ) out.name_bytes = value;
    const uint64_t at = value < object.dlpi_addr ? object.dlpi_addr + value : value;
    if (dynamic->d_tag == DT_SYMTAB) out.symbols = reinterpret_cast<const Elf64_Sym*>(at);
    if (dynamic->d_tag == DT_STRTAB) out.names = reinterpret_cast<const char*>(at);
    if (dynamic->d_tag == DT_GNU_HASH) out.hash = reinterpret_cast<const uint32_t*>(at);
  }
  return out.symbols != nullptr && out.names != nullptr && out.hash != nullptr;
}

uint32_t gnu_hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

}  // namespace

// The layout of DT_GNU_HASH: number of buckets, first symbol, words of the filter, its shift; then
// the filter; then the buckets; then the hash of each symbol from the first one on, with the lowest
// bit set at the end of a bucket.
uint64_t find_export(const dl_phdr_info& object, const char* name) {
  Tables tables;
  if (!find_tables(object, tables)) return 0;
  const uint32_t bucket_count = tables.hash[0], first = tables.hash[1], words = tables.hash[2],
                 shift = tables.hash[3];
  if (bucket_count == 0 || words == 0) return 0;
  const auto* filter = reinterpret_cast<const uint64_t*>(tables.hash + 4);
  const auto* buckets = reinterpret_cast<const uint32_t*>(filter + words);
  const uint32_t* chains = buckets + bucket_count;
  const uint32_t hash = gnu_hash(name);
  const uint64_t word = filter[hash / 64 % words];
  if ((word >> (hash % 64) & word >> ((hash >> shift) % 64) & 1) == 0) return 0;
  for (uint32_t i = buckets[hash % bucket_count]; i >= first; ++i) {
    const Elf64_Sym& symbol = tables.symbols[i];
    if ((chains[i - first] | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
        symbol.st_name < tables.name_bytes && std::strcmp(tables.names + symbol.st_name, name) == 0)
      return object.dlpi_addr + symbol.st_value;
    if ((chains[i - first] & 1) != 0) break;
  }
  return 0;
}

}  // namespace aiflame::agent
