// SPDX-License-Identifier: MIT
// The functions of one unit of debug information by their addresses. Part of dwarf.h: uses libdw.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

#include "libcommon/symbols/dwarf_entries.h"

namespace aiflame {

class DwarfUnit {
 public:
  // `die` is the unit's own: of split DWARF that of the file split off.
  DwarfUnit(const Dwarf_Die& die, DwarfBudget& budget);

  // The function that holds an address and those inlined there, outermost first. Empty: none does.
  void functions_at(uint64_t vaddr, std::vector<Dwarf_Die>& out);

 private:
  struct Range {
    uint64_t start, end;
    uint32_t function;  // in functions_
  };

  bool find_inside(Dwarf_Die die, uint64_t vaddr, unsigned depth, std::vector<Dwarf_Die>& out);
  bool has_address(Dwarf_Die& die, uint64_t vaddr);
  template <typename Visit>
  void each_child(Dwarf_Die& die, const Visit& visit);

  DwarfBudget& budget_;
  std::vector<Dwarf_Die> functions_;
  std::vector<Range> ranges_;  // by start
};

}  // namespace aiflame
