// SPDX-License-Identifier: MIT
// Finds the functions of one unit of debug information by address. Part of dwarf.h: uses libdw.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

#include "libcommon/symbols/dwarf_entries.h"

namespace aiflame {

class DwarfUnit {
 public:
  // `die` is the unit's own entry; with split DWARF, the one in the `.dwo` file.
  DwarfUnit(const Dwarf_Die& die, DwarfBudget& budget);

  // The function that holds an address and those inlined there, outermost first; or empty.
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
