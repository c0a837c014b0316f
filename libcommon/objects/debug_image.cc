// SPDX-License-Identifier: MIT
#include "libcommon/objects/debug_image.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace aiflame {
namespace {

constexpr std::string_view kRead[] = {
    ".debug_info", ".debug_abbrev",   ".debug_line",        ".debug_ranges", ".debug_rnglists",
    ".debug_str",  ".debug_line_str", ".debug_str_offsets", ".debug_addr",   ".debug_types"};

// A SHT_REL entry has no addend of its own: the bytes to relocate hold it.
std::vector<Elf64_Rela> relocations_in(const std::string& bytes, uint32_t type,
                                       const std::string& section) {
  const size_t size = type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  std::vector<Elf64_Rela> out(bytes.size() / size);
  for (size_t i = 0; i < out.size(); ++i) {
    std::memcpy(&out[i], bytes.data() + i * size, size);
    const uint64_t at = out[i].r_offset;
    if (type == SHT_REL && at < section.size() && section.size() - at >= sizeof out[i].r_addend)
      std::memcpy(&out[i].r_addend, section.data() + at, sizeof out[i].r_addend);
  }
  std::stable_sort(out.begin(), out.end(), [](const Elf64_Rela& a, const Elf64_Rela& b) {
    return a.r_offset < b.r_offset;
  });
  return out;
}

template <typename Number>
void append(std::string& out, const Number& number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::vector<DebugSection> read_debug_sections(const ElfFile& file) {
  std::vector<DebugSection> out;
  const std::vector<ElfSection> all = file.sections();
  std::map<uint32_t, size_t> by_index;
  uint64_t end = 0, total = 0;
  for (const ElfSection& section : all) {
    if (std::find(std::begin(kRead), std::end(kRead), section.name) == std::end(kRead)) continue;
    if (std::any_of(out.begin(), out.end(),
                    [&](const DebugSection& known) { return known.name == section.name; }))
      continue;
    if ((section.flags & SHF_COMPRESSED) != 0) return {};
    by_index[section.index] = out.size();
    out.push_back({section.name, file.bytes_of(section), {}});
    total += out.back().bytes.size();
    end = std::max(end, section.offset + out.back().bytes.size());
    if (total > end) return {};
  }
  for (const ElfSection& section : all) {
    const auto target = by_index.find(section.info);
    if ((section.type != SHT_RELA && section.type != SHT_REL) || target == by_index.end()) continue;
    DebugSection& its = out[target->second];
    if (its.relocations.empty())
      its.relocations = relocations_in(file.bytes_of(section), section.type, its.bytes);
  }
  return out;
}

DebugSection* find_section(std::vector<DebugSection>& sections, const char* name) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const DebugSection& each) { return each.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

// libdwfl needs a segment to know where an executable is loaded. This one covers all addresses.
std::string debug_image(const std::vector<DebugSection>& sections, uint16_t machine) {
  std::string names(1, '\0'), body;
  std::vector<Elf64_Shdr> headers(1);
  constexpr uint64_t kBegin = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  const auto add = [&](const std::string& name, uint32_t type, const std::string& bytes) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names.size());
    header.sh_type = type;
    header.sh_offset = kBegin + body.size();
    header.sh_size = bytes.size();
    header.sh_addralign = 1;
    headers.push_back(header);
    names.append(name).push_back('\0');
    body += bytes;
  };
  for (const DebugSection& section : sections) add(section.name, SHT_PROGBITS, section.bytes);
  const std::string own = ".shstrtab";
  names.append(own).push_back('\0');
  const std::string all_names = names;
  names.resize(names.size() - own.size() - 1);
  add(own, SHT_STRTAB, all_names);
  body.resize((body.size() + 7) / 8 * 8);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_shoff = kBegin + body.size();
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_memsz = kImageEnd;
  segment.p_align = 1;
  std::string out;
  append(out, header);
  append(out, segment);
  out += body;
  for (const Elf64_Shdr& each : headers) append(out, each);
  return out;
}

}  // namespace aiflame
