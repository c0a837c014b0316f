// SPDX-License-Identifier: MIT
#include "libcommon/symbols/zebin_debug.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "libcommon/memory_file.h"
#include "libcommon/symbols/dwarf_code.h"

namespace aiflame {
namespace {

constexpr uint32_t kAddress = 1, kAddress32 = 2;  // R_ZE_SYM_ADDR, R_ZE_SYM_ADDR_32

// Where the code of units is put whose kernel is not in the object: no file is that long.
constexpr uint64_t kNowhere = uint64_t{1} << 62;

// What is read of it. Not .debug_frame, nor .debug_aranges: what they say of addresses would have
// to be relocated too, and nobody asks.
constexpr std::string_view kRead[] = {
    ".debug_info", ".debug_abbrev",   ".debug_line",        ".debug_ranges", ".debug_rnglists",
    ".debug_str",  ".debug_line_str", ".debug_str_offsets", ".debug_addr",   ".debug_types"};

struct Section {
  std::string name, bytes;
  std::vector<Elf64_Rela> relocations;
};

// Adds to the number at an offset; what lies outside is damage, and left alone.
template <typename Number>
void add_at(std::string& bytes, uint64_t offset, uint64_t value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) return;
  Number number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  number = static_cast<Number>(number + value);
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

std::vector<Elf64_Rela> relocations_in(const std::string& bytes) {
  std::vector<Elf64_Rela> out(bytes.size() / sizeof(Elf64_Rela));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(Elf64_Rela));
  return out;
}

// Its debug information, each section once. Empty where it is compressed or claims more than the
// file has: no compiler does.
std::vector<Section> read_sections(const ElfFile& file) {
  std::vector<Section> out;
  const std::vector<ElfSection> all = file.sections();
  std::map<uint32_t, size_t> by_index;
  uint64_t end = 0, total = 0;
  for (const ElfSection& section : all) {
    if (std::find(std::begin(kRead), std::end(kRead), section.name) == std::end(kRead)) continue;
    if (std::any_of(out.begin(), out.end(),
                    [&](const Section& known) { return known.name == section.name; }))
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
    if (section.type == SHT_RELA && target != by_index.end() &&
        out[target->second].relocations.empty())
      out[target->second].relocations = relocations_in(file.bytes_of(section));
  }
  return out;
}

// The relocated number is the addend: what stands there is nothing, or the addend as well.
void relocate(Section& section) {
  for (const Elf64_Rela& each : section.relocations) {
    const uint64_t type = ELF64_R_TYPE(each.r_info), at = each.r_offset;
    const size_t width = type == kAddress ? 8 : type == kAddress32 ? 4 : 0;
    if (width == 0 || at > section.bytes.size() || section.bytes.size() - at < width) continue;
    std::memset(section.bytes.data() + at, 0, width);
    if (width == 8)
      add_at<uint64_t>(section.bytes, at, static_cast<uint64_t>(each.r_addend));
    else
      add_at<uint32_t>(section.bytes, at, static_cast<uint64_t>(each.r_addend));
  }
}

// Moves the addresses that a section has in [start, end).
void shift(Section& section, uint64_t start, uint64_t end, uint64_t by) {
  auto each = std::lower_bound(
      section.relocations.begin(), section.relocations.end(), start,
      [](const Elf64_Rela& relocation, uint64_t at) { return relocation.r_offset < at; });
  for (; each != section.relocations.end() && each->r_offset < end; ++each)
    if (ELF64_R_TYPE(each->r_info) == kAddress) add_at<uint64_t>(section.bytes, each->r_offset, by);
}

template <typename Number>
void append(std::string& out, const Number& number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// One segment, for libdwfl, which wants to know where an executable lies: everywhere.
std::string elf_image(const std::vector<Section>& sections) {
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
  for (const Section& section : sections) add(section.name, SHT_PROGBITS, section.bytes);
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
  header.e_machine = EM_INTELGT;
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
  segment.p_memsz = kNowhere;
  segment.p_align = 1;
  std::string out;
  append(out, header);
  append(out, segment);
  out += body;
  for (const Elf64_Shdr& each : headers) append(out, each);
  return out;
}

// Where code of this name begins in the file: a kernel's section, or a function in one.
class CodeByName {
 public:
  CodeByName(const ElfFile& file, const Zebin& zebin) {
    for (const ZebinCode& code : zebin.code()) starts_.try_emplace(code.name, code.offset);
    for (const ElfFunction& function : file.functions())
      starts_.try_emplace(std::string(function.name), function.start);
  }
  // What has to be added to the addresses of a unit.
  std::optional<uint64_t> base_of(const DwarfCode& unit) const {
    for (const DwarfCode::Function& function : unit.functions)
      if (const auto found = starts_.find(function.name); found != starts_.end())
        return found->second - function.start;
    return std::nullopt;
  }

 private:
  std::unordered_map<std::string, uint64_t> starts_;
};

}  // namespace

std::string relocated_debug_information(const ElfFile& file, const Zebin& zebin) {
  std::vector<Section> sections = read_sections(file);
  Section *info = nullptr, *lines = nullptr;
  for (Section& section : sections) {
    std::stable_sort(
        section.relocations.begin(), section.relocations.end(),
        [](const Elf64_Rela& a, const Elf64_Rela& b) { return a.r_offset < b.r_offset; });
    relocate(section);
    if (section.name == ".debug_info") info = &section;
    if (section.name == ".debug_line") lines = &section;
  }
  if (info == nullptr) return "";

  const CodeByName code(file, zebin);
  const std::vector<DwarfCode> units = list_dwarf_code(MemoryFile(elf_image(sections)).path());
  // a line table ends where the next one begins
  std::map<uint64_t, uint64_t> tables;  // with what has to be added there
  for (const DwarfCode& unit : units) {
    const uint64_t base = code.base_of(unit).value_or(kNowhere);
    shift(*info, unit.start, unit.end, base);
    if (unit.lines) tables.try_emplace(*unit.lines, base);
  }
  if (lines != nullptr)
    for (auto table = tables.begin(); table != tables.end(); ++table) {
      const auto next = std::next(table);
      shift(*lines, table->first, next == tables.end() ? UINT64_MAX : next->first, table->second);
    }
  return elf_image(sections);
}

}  // namespace aiflame
