// SPDX-License-Identifier: MIT
// Takes the debug information out of a device's code object and puts it into a new ELF object that
// libdw can read. libdw cannot read the original: it knows neither the relocations of these
// machines nor where their code lies. Between the two steps the caller applies the relocations.
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

// The sections with debug information, each name once. Empty where a section is compressed or
// claims more bytes than the file has, which no compiler writes.
// .debug_frame and .debug_aranges are left out: they have addresses that would have to be relocated
// too, and nobody reads them.
std::vector<DebugSection> read_debug_sections(const ElfFile& file);

// The section called `name`, or nullptr.
DebugSection* find_section(std::vector<DebugSection>& sections, const char* name);

// An ELF object with only these sections.
std::string debug_image(const std::vector<DebugSection>& sections, uint16_t machine);

// The image's addresses are below this. No offset in a file reaches it, so that addresses from here
// on are free for code that is not in the object.
constexpr uint64_t kImageEnd = uint64_t{1} << 62;

// Writes a number at an offset. An offset outside of `bytes` comes from a damaged object and is
// ignored.
template <typename Number>
void write_at(std::string& bytes, uint64_t offset, Number number) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof number) return;
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

// Adds to the number at an offset, under the same rule.
template <typename Number>
void add_at(std::string& bytes, uint64_t offset, uint64_t value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) return;
  Number number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  number = static_cast<Number>(number + value);
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

}  // namespace aiflame
