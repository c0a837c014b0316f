// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/zebin_debug.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/debug_image.h"
#include "libcommon/symbols/dwarf_code.h"

namespace aiflame {
namespace {

constexpr uint32_t kAddress = 1, kAddress32 = 2;  // R_ZE_SYM_ADDR, R_ZE_SYM_ADDR_32

// Units whose kernel is not in the object are moved here.
constexpr uint64_t kNowhere = kImageEnd;

// First pass: the relocated number is the addend. The section has 0 there, or the addend as well.
void relocate(DebugSection& section) {
  for (const Elf64_Rela& each : section.relocations) {
    const auto addend = static_cast<uint64_t>(each.r_addend);
    if (ELF64_R_TYPE(each.r_info) == kAddress) write_at(section.bytes, each.r_offset, addend);
    if (ELF64_R_TYPE(each.r_info) == kAddress32)
      write_at(section.bytes, each.r_offset, static_cast<uint32_t>(addend));
  }
}

// Second pass: adds `by` to the addresses in bytes [start, end) of a section.
void shift(DebugSection& section, uint64_t start, uint64_t end, uint64_t by) {
  auto each = std::lower_bound(
      section.relocations.begin(), section.relocations.end(), start,
      [](const Elf64_Rela& relocation, uint64_t at) { return relocation.r_offset < at; });
  for (; each != section.relocations.end() && each->r_offset < end; ++each)
    if (ELF64_R_TYPE(each->r_info) == kAddress) add_at<uint64_t>(section.bytes, each->r_offset, by);
}

// Finds where code begins in the file by its name: a kernel's section, or a function in one.
class CodeByName {
 public:
  CodeByName(const ElfFile& file, const Zebin& zebin) {
    for (const KernelCode& code : zebin.kernels().all())
      starts_.try_emplace(code.name, code.offset);
    for (const ElfFunction& function : file.functions())
      starts_.try_emplace(std::string(function.name), function.start);
  }
  // The number to add to the addresses of a unit.
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
  std::vector<DebugSection> sections = read_debug_sections(file);
  for (DebugSection& section : sections) relocate(section);
  DebugSection* const info = find_section(sections, ".debug_info");
  DebugSection* const lines = find_section(sections, ".debug_line");
  if (info == nullptr) return "";

  const CodeByName code(file, zebin);
  const std::vector<DwarfCode> units =
      list_dwarf_code(MemoryFile(debug_image(sections, EM_INTELGT)).path());
  std::map<uint64_t, uint64_t> tables;  // line tables by offset, with the number to add
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
  return debug_image(sections, EM_INTELGT);
}

}  // namespace aiflame
