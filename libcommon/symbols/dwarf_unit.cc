// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf_unit.h"

#include <dwarf.h>

#include <algorithm>

namespace aiflame {
namespace {

// Nested scopes and inlined functions. Deeper nesting than this is damage.
constexpr unsigned kMaxDepth = 256;

}  // namespace

// Without DW_AT_sibling, libdw walks over all children of an entry to find its sibling. So the cost
// is the bytes between the two.
template <typename Visit>
void DwarfUnit::each_child(Dwarf_Die& die, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  for (;;) {
    if (!budget_.spend(kEntryCost) || !visit(child)) return;
    const Dwarf_Off at = dwarf_dieoffset(&child);
    Dwarf_Die next;
    if (dwarf_siblingof(&child, &next) != 0) return;
    const Dwarf_Off after = dwarf_dieoffset(&next);
    // backwards is damage, and would loop for ever
    if (after <= at || !budget_.spend(after - at)) return;
    child = next;
  }
}

DwarfUnit::DwarfUnit(const Dwarf_Die& die, DwarfBudget& budget) : budget_(budget) {
  functions_ = functions_with_code(die, budget);
  for (uint32_t i = 0; i < functions_.size(); ++i)
    each_kept_range(functions_[i], budget, [&](uint64_t start, uint64_t end) {
      ranges_.push_back({start, end, i});
    });
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
}

bool DwarfUnit::has_address(Dwarf_Die& die, uint64_t vaddr) {
  bool found = false;
  each_range(die, budget_, [&](uint64_t start, uint64_t end) {
    found = vaddr >= start && vaddr < end;
    return !found;
  });
  return found;
}

bool DwarfUnit::find_inside(Dwarf_Die die, uint64_t vaddr, unsigned depth,
                            std::vector<Dwarf_Die>& out) {
  if (depth > kMaxDepth) return false;
  bool found = false;
  each_child(die, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    const bool inlined = tag == DW_TAG_inlined_subroutine;
    const bool block =
        tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
    if (!inlined && !block) return true;
    // a block may have no addresses
    Dwarf_Attribute unused;
    const bool placed = inlined || dwarf_attr(&child, DW_AT_low_pc, &unused) != nullptr ||
                        dwarf_attr(&child, DW_AT_ranges, &unused) != nullptr;
    if (placed && !has_address(child, vaddr)) return true;
    if (inlined) out.push_back(child);
    found = find_inside(child, vaddr, depth + 1, out) || placed;
    return !found;
  });
  return found;
}

void DwarfUnit::functions_at(uint64_t vaddr, std::vector<Dwarf_Die>& out) {
  out.clear();
  // of nested functions, the innermost: the last one that starts at or before the address and holds
  // it
  auto next = std::upper_bound(ranges_.begin(), ranges_.end(), vaddr,
                               [](uint64_t at, const Range& range) { return at < range.start; });
  for (int steps = 0; next != ranges_.begin() && steps < 8; ++steps) {
    --next;
    if (vaddr >= next->end) continue;
    out.push_back(functions_[next->function]);
    find_inside(functions_[next->function], vaddr, 0, out);
    return;
  }
}

}  // namespace aiflame
