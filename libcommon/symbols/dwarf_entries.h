// SPDX-License-Identifier: MIT
// The functions of one unit of debug information, found by going over its entries one behind the
// other: from neighbour to neighbour, as libdw goes, it takes ten times as long. Part of dwarf.h:
// uses libdw.
#pragma once

#include <elfutils/libdw.h>

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

// Those that say where their code is, wherever they stand: in units, namespaces, types, and in
// functions. `unit` is its own entry. Up to where it is damaged.
std::vector<Dwarf_Die> functions_with_code(const Dwarf_Die& unit, DwarfBudget& budget);

}  // namespace aiflame
