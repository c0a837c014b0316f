// SPDX-License-Identifier: MIT
// The functions of one unit of debug information, found by going over its entries one behind the
// other: from neighbour to neighbour, as libdw goes, it takes ten times as long. Part of dwarf.h:
// uses libdw.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame {

// How many bytes of debug information may still be walked over. Trees can be made that take for
// ever: entries without a word of where the next one is, ranges that each function has again.
struct DwarfBudget {
  uint64_t left = 0;
  bool spend(uint64_t bytes) {
    left = bytes > left ? 0 : left - bytes;
    return left > 0;
  }
};

// What looking at an entry or a range costs beside its bytes, in bytes walked over (both near 100
// ns).
constexpr uint64_t kEntryCost = 16;

// Calls visit(start, end) for each piece of an entry's code, until it returns false. False: there
// was too much.
template <typename Visit>
bool each_range(Dwarf_Die& die, DwarfBudget& budget, const Visit& visit) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;) {
    if (!budget.spend(kEntryCost)) return false;
    if (!visit(uint64_t{start}, uint64_t{end})) break;
  }
  return true;
}

// The same for code that is there: at 0 stands what the linker has thrown away.
template <typename Visit>
bool each_kept_range(Dwarf_Die& die, DwarfBudget& budget, const Visit& visit) {
  return each_range(die, budget, [&](uint64_t start, uint64_t end) {
    if (start < end && start != 0) visit(start, end);
    return true;
  });
}

// Those that say where their code is, wherever they stand: in units, namespaces, types, and in
// functions. `unit` is its own entry. Up to where it is damaged.
std::vector<Dwarf_Die> functions_with_code(const Dwarf_Die& unit, DwarfBudget& budget);

}  // namespace aiflame
