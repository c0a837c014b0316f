// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/cubin.h"

#include <elf.h>

#include <cstring>

namespace aiflame {
namespace {

constexpr uint32_t kAddress = 2;  // R_CUDA_64

// The architecture is a byte in e_flags: the second one since ABI version 8 (CUDA 13; 0x0a005a04 is
// sm_90), the lowest one before (0x005a055a; EF_CUDA_SM in LLVM's BinaryFormat/ELF.h, not tried on
// such an object).
constexpr unsigned kNewFlags = 8;

unsigned architecture_of(const ElfFile& file) {
  return (file.abi_version() >= kNewFlags ? file.flags() >> 8 : file.flags()) & 0xff;
}

// The offset in the file of each symbol's code or data, by the symbol's number; 0 where it has
// none.
std::vector<uint64_t> symbol_offsets(const ElfFile& file) {
  std::vector<uint64_t> out;
  const std::vector<ElfSection> sections = file.sections();
  for (const ElfSection& table : sections) {
    if (table.type != SHT_SYMTAB) continue;
    const std::string bytes = file.bytes_of(table);
    out.resize(bytes.size() / sizeof(Elf64_Sym));
    for (size_t i = 0; i < out.size(); ++i) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + i * sizeof symbol, sizeof symbol);
      // sections are in the order of their numbers, from 1
      const size_t index = symbol.st_shndx;
      if (index != 0 && index <= sections.size())
        out[i] = sections[index - 1].offset + symbol.st_value;
    }
    break;
  }
  return out;
}

}  // namespace

Cubin::Cubin(const ElfFile& file) {
  if (file.machine() != EM_CUDA) return;
  kernels_ = KernelTable(file);
  architecture_ = architecture_of(file);
}

std::string_view cubin_function_name(std::string_view symbol) {
  if (!symbol.starts_with('$')) return symbol;
  const std::string_view name = symbol.substr(symbol.rfind('$') + 1);
  return name.empty() ? symbol : name;
}

std::vector<DebugSection> relocated_cubin_debug(const ElfFile& file) {
  std::vector<DebugSection> sections = read_debug_sections(file);
  if (sections.empty()) return sections;
  const std::vector<uint64_t> offsets = symbol_offsets(file);
  for (DebugSection& section : sections)
    for (const Elf64_Rela& each : section.relocations) {
      const uint64_t symbol = ELF64_R_SYM(each.r_info);
      if (ELF64_R_TYPE(each.r_info) != kAddress || symbol >= offsets.size()) continue;
      // the section has 0 there, or (nvcc -G) the addend as well
      write_at(section.bytes, each.r_offset,
               offsets[symbol] + static_cast<uint64_t>(each.r_addend));
    }
  return sections;
}

}  // namespace aiflame
