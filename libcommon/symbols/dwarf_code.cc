// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf_code.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

namespace aiflame {
namespace {

// At most this many entries of a unit are read. The kernel is among the first.
constexpr size_t kMaxEntries = 4096;

void add_function(Dwarf_Die& die, DwarfCode& out) {
  Dwarf_Addr start = 0;
  if (dwarf_lowpc(&die, &start) != 0) return;
  for (const unsigned int attribute : {DW_AT_linkage_name, DW_AT_name}) {
    Dwarf_Attribute memory;
    Dwarf_Attribute* found = dwarf_attr_integrate(&die, attribute, &memory);
    const char* name = found == nullptr ? nullptr : dwarf_formstring(found);
    if (name != nullptr && *name != '\0') out.functions.push_back({name, start});
  }
}

void add_functions(Dwarf_Die& unit, uint64_t end, DwarfCode& out) {
  Dwarf_Die child;
  if (dwarf_child(&unit, &child) != 0) return;
  for (size_t entries = 0; entries < kMaxEntries; ++entries) {
    if (dwarf_tag(&child) == DW_TAG_subprogram) add_function(child, out);
    const Dwarf_Off at = dwarf_dieoffset(&child);
    // without DW_AT_sibling, libdw walks through all children to find the next entry
    Dwarf_Die next;
    if (dwarf_siblingof(&child, &next) != 0) return;
    const Dwarf_Off after = dwarf_dieoffset(&next);
    if (after <= at || after >= end) return;
    child = next;
  }
}

}  // namespace

std::vector<DwarfCode> list_dwarf_code(const std::string& path) {
  std::vector<DwarfCode> out;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return out;
  Dwarf* dwarf = dwarf_begin(fd, DWARF_C_READ);
  size_t header_size = 0;
  Dwarf_Off next = 0;
  for (Dwarf_Off at = 0; dwarf != nullptr && dwarf_nextcu(dwarf, at, &next, &header_size, nullptr,
                                                          nullptr, nullptr) == 0;
       at = next) {
    Dwarf_Die unit;
    if (next <= at || dwarf_offdie(dwarf, at + header_size, &unit) == nullptr) break;
    DwarfCode& code = out.emplace_back();
    code.start = at;
    code.end = next;
    Dwarf_Attribute memory;
    Dwarf_Word lines = 0;
    if (Dwarf_Attribute* found = dwarf_attr(&unit, DW_AT_stmt_list, &memory);
        found != nullptr && dwarf_formudata(found, &lines) == 0)
      code.lines = lines;
    add_functions(unit, next, code);
  }
  if (dwarf != nullptr) dwarf_end(dwarf);
  ::close(fd);
  return out;
}

}  // namespace aiflame
