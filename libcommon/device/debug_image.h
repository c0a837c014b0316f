// SPDX-License-Identifier: MIT
// The debug information of a device's code object taken out of it, and put into an object that
// libdw reads: libdw knows neither the relocations of these machines nor where their code lies.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "libcommon/symbols/elf.h"

namespace aiflame {

struct DebugSection {
  std::string name, bytes;
  std::vector<Elf64_Rela> relocations;  // by offset
};

// The debug information of an object, each section once. Empty where it is compressed or claims
// more than the file has: no compiler does.
// Not .debug_frame, nor .debug_aranges: what they say of addresses would have to be relocated too,
// and nobody asks.
std::vector<DebugSection> read_debug_sections(const ElfFile& file);

// That of a name, or nullptr.
DebugSection* find_section(std::vector<DebugSection>& sections, const char* name);

// An ELF object with these sections alone.
std::string debug_image(const std::vector<DebugSection>& sections, uint16_t machine);

// The addresses that it may have: no file is that long.
constexpr uint64_t kImageEnd = uint64_t{1} << 62;

// Writes a number at an offset, or adds to the one there; what lies outside is damage, and left
// alone.
template <typename Number>
void write_at(std::string& bytes, uint64_t offset, Number number) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof number) return;
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

template <typename Number>
void add_at(std::string& bytes, uint64_t offset, uint64_t value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) return;
  Number number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  number = static_cast<Number>(number + value);
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

}  // namespace aiflame
