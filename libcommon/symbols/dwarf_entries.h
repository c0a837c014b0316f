// SPDX-License-Identifier: MIT
// Finds the functions of one unit of debug information by one linear scan over its entries (DIEs).
// libdw's own way, from sibling to sibling, takes ten times as long. Part of dwarf.h: uses libdw.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame {

// The number of bytes of debug information that may still be read. Hostile trees can take for ever:
// entries that do not say where the next one is, ranges that every function repeats.
struct DwarfBudget {
  uint64_t left = 0;
  [[nodiscard]] bool spend(uint64_t bytes) {
    left = bytes > left ? 0 : left - bytes;
    return left > 0;
  }
};

// What an entry or a range costs in addition to its bytes (near 100 ns), in bytes read.
constexpr uint64_t kEntryCost = 16;

// Calls visit(start, end) for each address range of an entry until it returns false. Returns false
// when the budget is spent.
template <typename Visit>
bool each_range(Dwarf_Die& die, DwarfBudget& budget, const Visit& visit) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;) {
    if (!budget.spend(kEntryCost)) return false;
    if (!visit(uint64_t{start}, uint64_t{end})) break;
  }
  return true;
}

// The same for code that the linker kept. What it discarded has address 0.
template <typename Visit>
bool each_kept_range(Dwarf_Die& die, DwarfBudget& budget, const Visit& visit) {
  return each_range(die, budget, [&](uint64_t start, uint64_t end) {
    if (start < end && start != 0) visit(start, end);
    return true;
  });
}

// All functions with addresses, at any depth: in units, namespaces, types and functions. `unit` is
// the unit's own entry. Of a damaged unit, the functions before the damage.
std::vector<Dwarf_Die> functions_with_code(const Dwarf_Die& unit, DwarfBudget& budget);

}  // namespace aiflame
